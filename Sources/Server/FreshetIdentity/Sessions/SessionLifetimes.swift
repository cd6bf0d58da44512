// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine

/// How long things live, by the contract that a session was opened under.
package struct SessionLifetimes: Sendable {
    package let native: Lifetimes
    /// By the names of contracts.
    package let contracts: [String: Lifetimes]

    package init(native: Lifetimes, contracts: [String: Lifetimes]) {
        self.native = native
        self.contracts = contracts
    }

    /// Those of a contract, or of the native contract.
    package func of(_ contract: String?) -> Lifetimes { contract.flatMap { contracts[$0] } ?? native }
}

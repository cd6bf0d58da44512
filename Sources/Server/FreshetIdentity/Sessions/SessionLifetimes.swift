// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine

/// The lifetimes of sessions and tokens, by the contract under which a session was opened.
package struct SessionLifetimes: Sendable {
    package let native: Lifetimes
    /// The lifetimes by contract name.
    let contracts: [String: Lifetimes]

    package init(native: Lifetimes, contracts: [String: Lifetimes]) {
        self.native = native
        self.contracts = contracts
    }

    /// Returns the lifetimes of a contract; with `nil`, those of the native contract.
    func of(_ contract: String?) -> Lifetimes { contract.flatMap { contracts[$0] } ?? native }
}

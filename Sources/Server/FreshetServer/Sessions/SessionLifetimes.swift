// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine

/// How long things live, by the contract that a session was opened under.
struct SessionLifetimes: Sendable {
    let native: Lifetimes
    /// By the names of contracts.
    let contracts: [String: Lifetimes]

    /// Those of a contract, or of the native contract.
    func of(_ contract: String?) -> Lifetimes { contract.flatMap { contracts[$0] } ?? native }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine

/// How long things live, by the contract that a session was opened under.
struct SessionLifetimes: Sendable {
    let native: Lifetimes
    /// By the names of dialects.
    let dialects: [String: Lifetimes]

    /// Those of a dialect, or of the native contract.
    func of(_ dialect: String?) -> Lifetimes { dialect.flatMap { dialects[$0] } ?? native }
}

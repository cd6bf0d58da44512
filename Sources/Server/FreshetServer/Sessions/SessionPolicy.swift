// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import Logging

/// What a session is opened under.
struct SessionPolicy: Equatable, Sendable {
    /// The contract whose sign-in it is; `nil` for the native contract.
    ///
    /// The row keeps it, and how long things live is looked up under it at every refresh: an operator's new lifetime
    /// holds for sessions that are open.
    var contract: String?
    /// How the refresh tokens rotate, fixed for the session's life.
    var mode: RotationState.Mode

    /// Native clients send intents from the start.
    static let native = SessionPolicy(contract: nil, mode: .intent)
}

extension Logger.Metadata {
    /// With the contract's name, where there is one.
    func naming(_ contract: String?) -> Logger.Metadata {
        guard let contract else { return self }
        return merging(["dialect": "\(contract)"]) { $1 }
    }
}

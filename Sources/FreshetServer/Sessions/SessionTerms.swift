// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import Logging

/// What a session is opened under.
struct SessionTerms: Equatable, Sendable {
    /// The dialect whose sign-in it is; `nil` for the native contract.
    ///
    /// The row keeps it, and how long things live is looked up under it at every refresh: an operator's new lifetime
    /// holds for sessions that are open.
    var dialect: String?
    /// How the refresh tokens rotate, fixed for the session's life.
    var mode: RotationState.Mode

    /// Native clients send intents from the start.
    static let native = SessionTerms(dialect: nil, mode: .intent)
}

extension Logger.Metadata {
    /// With the dialect's name, where there is one.
    func naming(_ dialect: String?) -> Logger.Metadata {
        guard let dialect else { return self }
        return merging(["dialect": "\(dialect)"]) { $1 }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
package import Logging

/// What a session is opened under.
package struct SessionPolicy: Equatable, Sendable {
    /// The contract whose sign-in it is; `nil` for the native contract.
    ///
    /// The row keeps it, and how long things live is looked up under it at every refresh: an operator's new lifetime
    /// holds for sessions that are open.
    package var contract: String?
    /// How the refresh tokens rotate, fixed for the session's life.
    package var mode: RotationState.Mode

    package init(contract: String? = nil, mode: RotationState.Mode) {
        self.contract = contract
        self.mode = mode
    }

    /// Native clients send intents from the start.
    package static let native = SessionPolicy(contract: nil, mode: .intent)
}

extension Logger.Metadata {
    /// With the contract's name, where there is one.
    package func naming(_ contract: String?) -> Logger.Metadata {
        guard let contract else { return self }
        return merging(["dialect": "\(contract)"]) { $1 }
    }
}

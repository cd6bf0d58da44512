// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
package import Logging

/// The contract and the rotation mode under which a session is opened.
package struct SessionPolicy: Equatable, Sendable {
    /// The contract of the sign-in; `nil` for the native contract.
    ///
    /// Stored in the session's row. Every refresh looks up the lifetimes by the contract, so an operator's changed
    /// lifetimes apply to open sessions.
    package var contract: String?
    /// The rotation mode of the session's first refresh token; the first intent turns a plain session into one with intents.
    package var mode: RotationState.Mode

    package init(contract: String? = nil, mode: RotationState.Mode) {
        self.contract = contract
        self.mode = mode
    }

    /// The policy of native clients, which send intents from the start.
    package static let native = SessionPolicy(contract: nil, mode: .intent)
}

extension Logger.Metadata {
    /// Returns the metadata with the contract's name, if there is one.
    package func naming(_ contract: String?) -> Logger.Metadata {
        guard let contract else { return self }
        return merging(["dialect": "\(contract)"]) { $1 }
    }
}

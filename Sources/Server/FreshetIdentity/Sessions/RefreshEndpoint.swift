// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine

/// Where a refresh token is presented.
///
/// How it rotates is a matter of its session alone; the door only decides whose sessions may come in. A session before
/// the wrong door is neither touched nor pronounced dead.
package enum RefreshEndpoint: Equatable, Sendable {
    /// `/v1/refresh`.
    case native
    /// `/oauth/token`, and the client that asks there if the server has a register.
    case oauth(client: String?)
    /// A contract's own path, by the name of its contract.
    case contract(String)

    /// Why a session may not come in; `nil` if it may.
    package func refusal(to row: SessionRow, hasIntent: Bool) -> RotationOutcome.Refusal? {
        switch self {
        case .native:
            if row.client != nil { return .elsewhere }
            // An app that moves over to the native contract brings its sessions along: the first intent binds them.
            return row.contract == nil || (hasIntent && row.rotation.mode != .static) ? nil : .elsewhere
        case .oauth(let client):
            if row.client != nil && row.client != client { return .otherClient }
            // Libraries keep what is sent to them, so a token that never changes would be theirs for good.
            return row.rotation.mode == .static ? .elsewhere : nil
        case .contract(let name):
            return row.contract == name ? nil : .elsewhere
        }
    }
    /// The reason to refuse a logout; `nil` if the session may be ended here.
    ///
    /// Every endpoint accepts every genuine token, but an OAuth client cannot end the session of another one.
    func logoutRefusal(to row: SessionRow) -> RotationOutcome.Refusal? {
        guard case .oauth(let client) = self, row.client != nil, row.client != client else { return nil }
        return .otherClient
    }
}

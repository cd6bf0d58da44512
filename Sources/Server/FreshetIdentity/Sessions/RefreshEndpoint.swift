// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine

/// The endpoint at which a refresh token is presented.
///
/// The rotation depends on the session alone; the endpoint only decides which sessions it accepts. A session at the
/// wrong endpoint is neither changed nor reported as ended.
package enum RefreshEndpoint: Equatable, Sendable {
    /// `/v1/refresh`.
    case native
    /// `/oauth/token`, with the authenticated client if the server has a client registry.
    case oauth(client: String?)
    /// A contract's own path, by the contract's name.
    case contract(String)

    /// Returns the reason to refuse a session; `nil` if the endpoint accepts it.
    func refusal(to row: SessionRow, hasIntent: Bool) -> RotationOutcome.Refusal? {
        switch self {
        case .native:
            if row.client != nil { return .elsewhere }
            // An app that migrates to the native contract keeps its sessions: the first intent binds them.
            return row.contract == nil || (hasIntent && row.rotation.mode != .static) ? nil : .elsewhere
        case .oauth(let client):
            if row.client != nil && row.client != client { return .otherClient }
            // OAuth libraries store the token they receive, so a token that never rotates would be valid indefinitely.
            return row.rotation.mode == .static ? .elsewhere : nil
        case .contract(let name):
            return row.contract == name ? nil : .elsewhere
        }
    }
    /// Returns the reason to refuse a logout; `nil` if the session may be ended here.
    ///
    /// Every endpoint accepts every genuine token, but an OAuth client cannot end another client's session.
    func logoutRefusal(to row: SessionRow) -> RotationOutcome.Refusal? {
        guard case .oauth(let client) = self, row.client != nil, row.client != client else { return nil }
        return .otherClient
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// How the contract lets a session go on, as far as the state machine has to know.
enum Renewal: Equatable, Sendable {
    /// Freshet's own protocol: a refresh token is presented with an intent that is durable, and a successor that could not
    /// be stored is never presented, because the server issues it again.
    case confirmed
    /// A refresh token alone. A successor that could not be stored is presented all the same: the one before is used up.
    case plain
    /// The access token renews itself.
    case sliding
    /// Nothing does.
    case none

    var needsIntent: Bool { self == .confirmed }
    /// Whether tokens that are not in the store yet may be presented.
    var presentsUnsaved: Bool { self != .confirmed }

    func canRenew(_ session: StoredSession) -> Bool {
        switch self {
        case .confirmed, .plain: session.refreshToken != nil
        case .sliding: true
        case .none: false
        }
    }
}

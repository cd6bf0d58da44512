// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The way in which a contract renews a session, limited to the differences that matter to the state machine.
enum Renewal: Equatable, Sendable {
    /// Freshet's own protocol.
    ///
    /// A refresh token is presented with an intent that is stored durably. A successor that could not be stored is
    /// never presented, because the server issues it again.
    case confirmed
    /// A refresh token without an intent.
    ///
    /// A successor that could not be stored is presented nevertheless, because its predecessor is used up.
    case plain
    /// The access token is exchanged for a new one.
    case sliding
    /// The session cannot be renewed.
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

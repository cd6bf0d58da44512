// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetEngine
import FreshetWire

/// Decides how a socket reacts to messages, token checks and timeouts.
///
/// It reads no clock and verifies no token: its driver does so, and passes the results.
struct SocketStateMachine {
    private enum State {
        /// The client is not authenticated. Can transition to open and closing.
        case unidentified
        /// The client is authenticated until the token expires. Can transition to itself and closing.
        case open(AccessClaims)
        /// A close frame was sent or received. Final.
        case closing
    }

    private let policy: SocketEndpointPolicy
    private var state: State

    init(_ policy: SocketEndpointPolicy, _ claims: AccessClaims?) {
        self.policy = policy
        state = claims.map(State.open) ?? .unidentified
    }

    /// The claims of the newest token, if the client is authenticated.
    var claims: AccessClaims? { if case .open(let claims) = state { claims } else { nil } }

    var isClosing: Bool { if case .closing = state { true } else { false } }

    /// The action for a message.
    enum MessageAction: Equatable, Masked {
        case ignore
        /// Verify this token.
        case check(String)
        case deliver
        case close(SocketCloseStatus)

        var mask: String {
            switch self {
            case .ignore: "ignore"
            case .check: "check(•••)"
            case .deliver: "deliver"
            case .close(let closure): "close(\(closure.code) \(closure.reason))"
            }
        }
    }

    /// Handles a message.
    func receive(_ message: SocketMessage) -> MessageAction {
        switch state {
        case .closing: return .ignore
        case .unidentified:
            guard let token = Self.token(in: message, by: policy.firstMessage) else { return .close(policy.invalid) }
            return .check(token)
        case .open:
            guard let token = Self.token(in: message, by: policy.renewal) else { return .deliver }
            return .check(token)
        }
    }

    enum CheckAction: Equatable {
        case ignore
        /// The first token is valid.
        case open(AccessClaims)
        /// A newer token is valid.
        case renew(AccessClaims)
        case close(SocketCloseStatus)
    }

    /// Handles the result of a token check; `nil` for an invalid token.
    mutating func tokenChecked(_ shown: AccessClaims?) -> CheckAction {
        switch (state, shown) {
        case (.closing, _): return .ignore
        case (_, nil): return .close(policy.invalid)
        case (.unidentified, let shown?):
            state = .open(shown)
            return .open(shown)
        case (.open(let known), var shown?):
            guard shown.session == known.session, shown.user == known.user else { return .close(policy.foreign) }
            // An older token that is still valid does not shorten the remaining lifetime.
            shown.expiresAt = max(shown.expiresAt, known.expiresAt)
            state = .open(shown)
            return .renew(shown)
        }
    }

    /// Checks whether the token has expired.
    ///
    /// - Returns: The close status, if the socket must be closed now.
    func checkExpiry(at now: Timestamp) -> SocketCloseStatus? {
        guard let claims, now >= claims.expiresAt else { return nil }
        return policy.expired
    }

    /// Returns the close status, if no token was received in time.
    func authenticationTimedOut() -> SocketCloseStatus? { if case .unidentified = state { policy.late } else { nil } }

    /// Starts closing; no message is received or sent after that.
    ///
    /// - Returns: `false` if the socket is closing already.
    mutating func beginClosing() -> Bool {
        guard !isClosing else { return false }
        state = .closing
        return true
    }

    private static func token(in message: SocketMessage, by template: JSONTemplate?) -> String? {
        guard let template, case .text(let text) = message, let value = try? JSONParser.parse(text.utf8),
            template.hasConstants(in: value)
        else { return nil }
        return template.values(in: value)["access_token"]?.text
    }
}

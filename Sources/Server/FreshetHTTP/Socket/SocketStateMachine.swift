// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetEngine
import FreshetWire

/// Decides what a socket does next: who is on it, until when, and what a message means.
///
/// It reads no clock and no token; its driver asks, and tells it what came of that.
struct SocketStateMachine {
    private enum State {
        /// The client has shown no token yet. Can transition to open and closing.
        case unidentified
        /// Somebody is there until the access token ends. Can transition to itself, with a new token, and to closing.
        case open(AccessClaims)
        /// A close frame was sent or came. Nothing follows.
        case closing
    }

    private let policy: SocketEndpointPolicy
    private var state: State

    init(_ policy: SocketEndpointPolicy, _ claims: AccessClaims?) {
        self.policy = policy
        state = claims.map(State.open) ?? .unidentified
    }

    /// Who is there, by the newest token.
    var claims: AccessClaims? { if case .open(let claims) = state { claims } else { nil } }

    var isClosing: Bool { if case .closing = state { true } else { false } }

    /// What is to be done about a message.
    enum MessageAction: Equatable, Masked {
        case ignore
        /// Is this token good?
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

    /// A message came.
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
        /// The first token is good.
        case open(AccessClaims)
        /// A newer one is, too.
        case renew(AccessClaims)
        case close(SocketCloseStatus)
    }

    /// A token was looked at; `nil` for one that is not good.
    mutating func tokenChecked(_ shown: AccessClaims?) -> CheckAction {
        switch (state, shown) {
        case (.closing, _): return .ignore
        case (_, nil): return .close(policy.invalid)
        case (.unidentified, let shown?):
            state = .open(shown)
            return .open(shown)
        case (.open(let known), var shown?):
            guard shown.session == known.session, shown.user == known.user else { return .close(policy.foreign) }
            // An older token that is still good takes nothing away.
            shown.expiresAt = max(shown.expiresAt, known.expiresAt)
            state = .open(shown)
            return .renew(shown)
        }
    }

    /// Time has passed.
    ///
    /// - Returns: why the socket must be closed now, if it must.
    func checkExpiry(at now: Timestamp) -> SocketCloseStatus? {
        guard let claims, now >= claims.expiresAt else { return nil }
        return policy.expired
    }

    /// The time for the first token is over.
    func authenticationTimedOut() -> SocketCloseStatus? { if case .unidentified = state { policy.late } else { nil } }

    /// Nothing more is taken or sent.
    ///
    /// - Returns: `false` if that was so already.
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

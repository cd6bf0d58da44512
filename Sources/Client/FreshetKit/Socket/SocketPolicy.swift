// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The numbers that a socket lives by.
struct SocketPolicy: Equatable, Sendable {
    /// What happens to an open connection when its token comes to an end.
    enum Renewal: Equatable, Sendable {
        /// Nothing: the server closes it, or leaves it open.
        case none
        /// The new token is sent over it.
        case push
        /// It is closed, and another one is opened.
        case reconnect(lead: Duration)
    }

    var backoff = RetryBackoff(first: .seconds(1), limit: .seconds(30))
    /// How long a connection must last for failures before it to be forgotten.
    var stableAfter = Duration.seconds(30)
    /// How long a token must still live to connect with it.
    var minimumTokenLifetime = Duration.seconds(10)
    var renewal = Renewal.none

    /// How long before its token's end an open connection gets a new one that is pushed.
    static let pushLead = Duration.seconds(30)

    /// When an open connection wants a new token.
    ///
    /// - Returns: `nil` for never. A connection is never replaced before it was worth opening.
    func renewalTime(of token: SocketToken, openedAt: Duration) -> Duration? {
        switch renewal {
        case .none: nil
        case .push: token.expiresAt - token.cappedLeadTime(Self.pushLead)
        case .reconnect(let lead): max(token.expiresAt - token.cappedLeadTime(lead), openedAt + stableAfter)
        }
    }
}

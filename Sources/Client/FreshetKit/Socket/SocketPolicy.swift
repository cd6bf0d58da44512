// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The timing rules of a socket.
struct SocketPolicy: Equatable, Sendable {
    /// The handling of an open connection when its token is about to expire.
    enum Renewal: Equatable, Sendable {
        /// The connection stays open until the server closes it.
        case none
        /// The new token is sent over it.
        case push
        /// The connection is closed, and another one is opened.
        case reconnect(lead: Duration)
    }

    var backoff = RetryBackoff(first: .seconds(1), limit: .seconds(30))
    /// The time after which an open connection resets the number of failures.
    var stableAfter = Duration.seconds(30)
    /// The minimum remaining lifetime of a token for a new connection.
    var minimumTokenLifetime = Duration.seconds(10)
    var renewal = Renewal.none

    /// The time before the expiry of a connection's token at which a new token is sent over the connection.
    static let pushLead = Duration.seconds(30)

    /// Returns the time at which an open connection needs a new token.
    ///
    /// - Returns: `nil` for never. A connection is not replaced before `stableAfter`.
    func renewalTime(of token: SocketToken, openedAt: Duration) -> Duration? {
        switch renewal {
        case .none: nil
        case .push: token.expiresAt - token.cappedLeadTime(Self.pushLead)
        case .reconnect(let lead): max(token.expiresAt - token.cappedLeadTime(lead), openedAt + stableAfter)
        }
    }
}

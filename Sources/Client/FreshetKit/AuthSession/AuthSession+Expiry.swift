// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Expiry of the access token, for apps that check it themselves.
///
/// ``AuthSession/accessToken()`` and requests refresh the token automatically and do not need these checks. Times are
/// measured on the session's monotonic clock, which runs during sleep.
extension AuthSession {
    /// Whether the current access token has expired; `true` without a session.
    public var isAccessTokenExpired: Bool { isAccessTokenExpiring(within: .zero) }

    /// Whether the current access token expires within `time`, or has expired; `true` without a session.
    ///
    /// - Parameter time: The time to look ahead; `nil` for the time before expiry at which the session refreshes, by
    ///   ``RefreshPolicy/refreshBefore`` or the contract.
    /// - Returns: `true` if at most that time is left.
    public func isAccessTokenExpiring(within time: Duration? = nil) -> Bool {
        guard let token = published.current.token else { return true }
        let lead = time?.bounded ?? schedule.refreshBefore(lifetime: token.expiresAt - token.askedAt)
        return token.expiresAt - lead <= endpoint.clock.now()
    }

    /// The time until the access token is refreshed ahead of its expiry; zero or less if the refresh is due.
    ///
    /// In the foreground a timer starts the refresh, otherwise the next call after that time. It is `nil` without a
    /// session, while a refresh is in progress, and if nothing can refresh the session.
    package var refreshIn: Duration? { published.scheduledRefresh.map { $0 - endpoint.clock.now() } }

    /// The schedule by which this session refreshes its tokens.
    var schedule: RefreshSchedule { RefreshSchedule(contract, configuration.refreshPolicy) }
}

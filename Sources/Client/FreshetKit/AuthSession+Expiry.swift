// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// For apps that look at the access token's expiry themselves.
///
/// ``AuthSession/accessToken()`` and requests need none of it: they refresh by themselves. Times are counted on the session's
/// clock, which runs during sleep and is not set with the device's wall clock.
extension AuthSession {
    /// Whether the access token held has expired; `true` if no session is held.
    public var isAccessTokenExpired: Bool { isAccessTokenExpiring(within: .zero) }

    /// Whether the access token held expires within a time from now, or has expired; `true` if no session is held.
    ///
    /// - Parameter time: How far to look ahead; `nil` for as long before expiry as the session refreshes at the earliest, by
    ///   ``SessionConfiguration/leeway`` or the contract.
    /// - Returns: `true` if no more than that time is left.
    public func isAccessTokenExpiring(within time: Duration? = nil) -> Bool {
        guard let token = published.current.token else { return true }
        let lead = time?.bounded ?? schedule.lead(lifetime: token.expiresAt - token.askedAt)
        return token.expiresAt - lead <= endpoint.clock.now()
    }

    /// When this session refreshes its tokens.
    var schedule: RefreshSchedule { RefreshSchedule(contract, configuration) }
}

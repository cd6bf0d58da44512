// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Where the pipeline gets tokens: the current one without a hop, everything else from the driver.
struct TokenSource: Sendable {
    let driver: SessionDriver
    let published: PublishedSession
    let clock: SessionClock

    /// Returns a token that serves the need.
    ///
    /// - Returns: `nil` if there is none better than the one a resource refused.
    func token(for need: TokenNeed) async throws(SessionError) -> AccessToken? {
        if need == .good, let (token, isDue) = published.goodToken(at: clock.now()) {
            if isDue { Task { await driver.refreshAhead() } }
            return token
        }
        return try await driver.token(for: need)
    }

    /// Starts a refresh that this caller does not wait for.
    func refreshInBackground(for need: TokenNeed) {
        Task { _ = try? await driver.token(for: need) }
    }
}

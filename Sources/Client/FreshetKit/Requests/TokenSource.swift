// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Provides the pipeline's tokens.
///
/// A valid token is returned without an actor hop, all others by the driver.
struct TokenSource: Sendable {
    let driver: SessionDriver
    let published: PublishedSession
    let clock: SessionClock
    /// The owner of the tokens; `nil` for the user who is signed in.
    var owner: SessionOwner?
    /// Whether the app requests the tokens, and not an automatic part of the SDK.
    var isUserInitiated = true

    /// Returns a token that meets the requirement.
    ///
    /// - Returns: The token; `nil` if no token is newer than the refused one.
    func token(for need: TokenRequirement) async throws(SessionError) -> AccessToken? {
        guard let owner else { return try await anyToken(for: need) }
        if case .session(let id) = owner {
            let token = try await anyToken(for: need)
            guard token.map({ $0.sessionID == id }) ?? true else { throw .signedOut(.replaced) }
            return token
        }
        // The session may replace the token before its owner is checked; then the next token is checked.
        for _ in 0..<4 {
            guard let token = try await anyToken(for: need) else { return nil }
            guard let status = published.status(with: token) else { continue }
            guard owner.isSignedIn(by: status) else { throw .signedOut(.replaced) }
            return token
        }
        throw .offline(retryAfter: nil)
    }

    private func anyToken(for need: TokenRequirement) async throws(SessionError) -> AccessToken? {
        if need == .valid, let (token, isDue) = published.validToken(at: clock.now()) {
            if isDue { Task { await driver.refreshAhead() } }
            return token
        }
        return try await driver.token(for: need, isUserInitiated: isUserInitiated)
    }

    /// A source for an automatic part of the SDK, which respects the session's back-off.
    var automatic: TokenSource {
        var source = self
        source.isUserInitiated = false
        return source
    }

    /// Starts a refresh that this caller does not wait for.
    func refreshInBackground(for need: TokenRequirement) {
        Task { _ = try? await driver.token(for: need, isUserInitiated: false) }
    }
}

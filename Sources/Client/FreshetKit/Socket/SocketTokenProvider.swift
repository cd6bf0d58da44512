// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Provides a socket's tokens from the session, through the refresh that all callers share.
struct SocketTokenProvider: Sendable {
    let source: TokenSource
    var published: PublishedSession { source.published }
    var clock: SessionClock { source.clock }

    /// The maximum number of attempts, if each token is replaced before it is used.
    private static let maximumAttempts = 4

    /// Returns a token that meets the requirement, refreshing it first if needed.
    ///
    /// - Returns: `nil` if no token is newer than the one that the server refused.
    func token(for need: SocketTokenRequirement) async throws(SessionError) -> SocketToken? {
        for _ in 0..<Self.maximumAttempts {
            switch need {
            case .validFor(let life):
                _ = try await source.token(for: .valid)
                guard let held, held.expiresWithin(life, now: clock.now()) else { break }
                // If the refresh fails, the current token is used while it is valid.
                if (try? await source.token(for: .refreshed)) == nil { _ = try await source.token(for: .valid) }
            case .replacing(let refused, let isBaseOrigin):
                guard try await source.token(for: .replacing(refused, isBaseOrigin: isBaseOrigin)) != nil else {
                    return nil
                }
            case .newer(let old):
                if held?.token.value == old.value { _ = try await source.token(for: .refreshed) }
            }
            guard !Task.isCancelled else { throw .cancelled }
            guard let held else { continue }
            if case .replacing(let refused, _) = need, held.token.value == refused.value { continue }
            return held
        }
        throw .offline(retryAfter: nil)
    }

    /// The session's current token and owner, read together.
    private var held: SocketToken? {
        let (status, token) = published.current
        guard let token, let id = status.sessionID else { return nil }
        return SocketToken(token, of: id)
    }
}

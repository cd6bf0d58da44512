// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit

/// A fake backend for the native contract, in the test's process, that injects faults.
///
///     let backend = TestBackend(clock: clock)
///     backend.on("/notes") { _, userID in BackendResponse(json: #"{"owner": "\(userID)"}"#) }
///     backend.fail(.replyLost, .status(503, retryAfter: 5))    // the next two refreshes
///     backend.fail(.html(), at: "/notes")
///
/// Use it as the transport of the session under test; it answers for any host. Any password and any code sign in, and
/// an e-mail address is always the same user.
public final class TestBackend: Sendable {
    /// The minimum number of requests that are kept.
    public static let retainedExchanges = 1000
    /// The target of redirects by default; requests to it are counted separately.
    public static let otherOrigin = "https://elsewhere.example"

    /// The requests whose responses are held, as they arrive.
    ///
    /// A test waits here for a request with the fault ``BackendFault/held``; only one task may iterate at a time.
    public let heldRequests: AsyncStream<BackendExchange>
    let holding: AsyncStream<BackendExchange>.Continuation
    let state = Locked(State())

    /// Creates a backend without sessions that accepts any password.
    ///
    /// - Parameter clock: The clock by which sessions expire; by default, the clock of the first session that is
    ///   created with this backend and a clock. Without a clock, no session expires.
    public init(clock: TestClock? = nil) {
        (heldRequests, holding) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.retainedExchanges))
        state.withLock { $0.clock = clock }
    }

    /// The numbers of requests that clients have sent to the backend so far.
    public var counts: Counts { state.withLock { $0.counts } }

    /// The latest requests that the backend has received, and their responses; the oldest first.
    public var exchanges: [BackendExchange] { state.withLock { $0.exchanges } }

    /// The lifetime of access tokens granted from now on, in seconds.
    ///
    /// The backend accepts them until ``revokeAccessTokens()``, even after this time.
    public var lifetime: Int {
        get { state.withLock { $0.lifetime } }
        set { state.withLock { $0.lifetime = newValue } }
    }

    /// The idle timeout of a session, in seconds; 30 days by default.
    ///
    /// Each grant states it as `refresh_expires_in`. A session that is not refreshed within this time ends with the
    /// reason `idle_timeout`. Set it before the sign-in.
    public var refreshLifetime: Int {
        get { state.withLock { $0.refreshLifetime } }
        set { state.withLock { $0.refreshLifetime = newValue } }
    }

    /// The amount by which the backend's clock is ahead of the true time, as in its Date header.
    public var clockSkew: Duration {
        get { state.withLock { $0.clockSkew } }
        set { state.withLock { $0.clockSkew = newValue } }
    }

    /// Whether every request of the app is answered with 401.
    public var refusesEverything: Bool {
        get { state.withLock { $0.refusesEverything } }
        set { state.withLock { $0.refusesEverything = newValue } }
    }

    /// Answers the app's requests to a path from now on; without a route, the response names the session.
    ///
    /// - Parameters:
    ///   - path: The path, without a query, for all methods.
    ///   - route: Returns the response to a request with a valid access token, of the user with this identifier.
    public func on(
        _ path: String,
        _ route: @escaping @Sendable (_ request: BackendRequest, _ userID: String) -> BackendResponse
    ) {
        state.withLock { $0.routes[path] = route }
    }

    /// Revokes all access tokens granted so far.
    public func revokeAccessTokens() { state.withLock { $0.accessTokens = [:] } }

    /// Ends all sessions with a reason of the refresh protocol.
    public func endSessions(reason: String = "revoked") {
        state.withLock { state in
            for id in state.rows.keys { state.rows[id]?.ended = reason }
        }
    }

    /// The number of sessions that have not ended.
    public var liveSessions: Int { state.withLock { $0.rows.values.count { $0.ended == nil } } }
}

extension TestBackend: OpenRequestSource {
    package var openRequests: [String] {
        state.withLock { $0.held.filter(\.isHeld).map { "\($0.request), held" } }
    }

    package func follow(_ clock: TestClock) { state.withLock { $0.clock = $0.clock ?? clock } }
}

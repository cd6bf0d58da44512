// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
public import FreshetKit

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// An in-process backend for the native contract that counts requests and injects faults.
public final class TestBackend: HTTPTransport {
    /// A fault of one refresh.
    public enum Fault: Sendable {
        /// The request is lost before it reaches the backend.
        case requestLost
        /// The backend has processed the request, and its response is lost.
        case answerLost
        /// An intermediary sends this response, and the backend does not receive the request.
        case answer(status: Int, headers: [String: String], body: String)
    }

    /// The numbers of requests that the backend has received.
    public struct Counts: Sendable, Equatable {
        /// Refreshes, whether or not the response arrived.
        public var refreshes = 0
        /// Confirmations.
        public var confirms = 0
        /// Reports.
        public var reports = 0
        /// Sign-outs.
        public var logouts = 0
        /// Requests of the app.
        public var requests = 0
        /// Requests of the app that were answered with 401.
        public var refusals = 0
    }

    struct Row {
        var proved: UInt64 = 0
        var intent: String?
        var ended: String?
        var email: String
        /// The time at which its latest tokens were granted.
        var grantedAt = Duration.zero
    }

    struct State {
        var counts = Counts()
        var faults: [Fault] = []
        var rows: [UUID: Row] = [:]
        var accessTokens: [String: UUID] = [:]
        var lastAccessToken = 0
        var lifetime = 600
        var refreshLifetime = 2_592_000
        var refusesEverything = false
        var now = Duration.zero
        var clock: TestClock?

        /// Ends the sessions that were not refreshed within `refreshLifetime`.
        mutating func expireSessions(at now: Duration) {
            self.now = now
            for (id, row) in rows where row.ended == nil && now - row.grantedAt >= .seconds(refreshLifetime) {
                rows[id]?.ended = "idle_timeout"
            }
        }
    }

    let state = Locked(State())

    /// Creates a backend without sessions that accepts any password.
    ///
    /// - Parameter clock: The clock by which sessions expire; by default, the clock of the first session that is
    ///   created with this backend and a clock. Without a clock, no session expires.
    public init(clock: TestClock? = nil) { state.withLock { $0.clock = clock } }

    func follow(_ clock: TestClock) { state.withLock { $0.clock = $0.clock ?? clock } }

    var now: Duration { state.withLock { $0.clock }?.now.offset ?? .zero }

    /// The numbers of requests that the backend has received so far.
    public var counts: Counts { state.withLock { $0.counts } }

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

    /// Whether every request of the app is answered with 401.
    public var refusesEverything: Bool {
        get { state.withLock { $0.refusesEverything } }
        set { state.withLock { $0.refusesEverything = newValue } }
    }

    /// Makes the next refreshes fail, in this order.
    public func fail(_ faults: Fault...) { state.withLock { $0.faults += faults } }

    /// Revokes all access tokens granted so far.
    public func revokeAccessTokens() { state.withLock { $0.accessTokens = [:] } }

    /// Ends all sessions with a reason.
    public func endSessions(reason: String) {
        state.withLock { state in
            for id in state.rows.keys { state.rows[id]?.ended = reason }
        }
    }

    /// The number of sessions that have not ended.
    public var liveSessions: Int { state.withLock { $0.rows.values.count { $0.ended == nil } } }

    /// Answers a request of the app.
    public func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try respond(to: try await request.withBufferedBody())
    }

    /// Answers a request to a token endpoint.
    public func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
        try respond(to: try await request.withBufferedBody())
    }
}

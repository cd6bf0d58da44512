// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
public import FreshetKit

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A backend in this process that keeps to the native contract, counts what it sees, and fails as a test wishes.
public final class TestBackend: HTTPTransport {
    /// What goes wrong with one refresh.
    public enum Fault: Sendable {
        /// The request does not arrive.
        case requestLost
        /// The backend has acted, and the answer does not arrive.
        case answerLost
        /// Something on the way answers this instead.
        case answer(status: Int, headers: [String: String], body: String)
    }

    /// What the backend has seen.
    public struct Counts: Sendable, Equatable {
        /// Refreshes that arrived, whatever became of their answers.
        public var refreshes = 0
        /// Confirmations.
        public var confirms = 0
        /// Reports.
        public var reports = 0
        /// Sign-outs.
        public var logouts = 0
        /// Requests of the app.
        public var requests = 0
        /// How many of those were answered with 401.
        public var refusals = 0
    }

    struct Row {
        var proved: UInt64 = 0
        var intent: String?
        var ended: String?
        var email: String
        /// When its latest tokens were granted.
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

        /// Ends the sessions that were not refreshed within the lifetime that was stated to them.
        mutating func expireSessions(at now: Duration) {
            self.now = now
            for (id, row) in rows where row.ended == nil && now - row.grantedAt >= .seconds(refreshLifetime) {
                rows[id]?.ended = "idle_timeout"
            }
        }
    }

    let state = Locked(State())

    /// A backend without sessions, which takes any password.
    ///
    /// - Parameter clock: What its sessions age by; if left out, the clock of the first session that is made with both. A
    ///   backend without a clock ends no session by itself.
    public init(clock: TestClock? = nil) { state.withLock { $0.clock = clock } }

    func follow(_ clock: TestClock) { state.withLock { $0.clock = $0.clock ?? clock } }

    var now: Duration { state.withLock { $0.clock }?.now.offset ?? .zero }

    /// What the backend has seen so far.
    public var counts: Counts { state.withLock { $0.counts } }

    /// The lifetime of access tokens granted from now on, in seconds.
    ///
    /// They end only by ``revokeAccessTokens()``.
    public var lifetime: Int {
        get { state.withLock { $0.lifetime } }
        set { state.withLock { $0.lifetime = newValue } }
    }

    /// How long a session may go without a refresh, in seconds: 30 days, unless set otherwise.
    ///
    /// Each grant states it as `refresh_expires_in`, and a session that was not refreshed for so long has ended with the
    /// reason `idle_timeout`. Set it before the sign-in.
    public var refreshLifetime: Int {
        get { state.withLock { $0.refreshLifetime } }
        set { state.withLock { $0.refreshLifetime = newValue } }
    }

    /// Whether requests of the app are all answered with 401.
    public var refusesEverything: Bool {
        get { state.withLock { $0.refusesEverything } }
        set { state.withLock { $0.refusesEverything = newValue } }
    }

    /// The next refreshes go wrong, in this order.
    public func fail(_ faults: Fault...) { state.withLock { $0.faults += faults } }

    /// No access token that was granted so far is taken any more.
    public func revokeAccessTokens() { state.withLock { $0.accessTokens = [:] } }

    /// Ends all sessions.
    public func endSessions(reason: String) {
        state.withLock { state in
            for id in state.rows.keys { state.rows[id]?.ended = reason }
        }
    }

    /// How many sessions have not ended.
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

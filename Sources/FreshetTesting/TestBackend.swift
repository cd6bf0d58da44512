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
    }

    struct State {
        var counts = Counts()
        var faults: [Fault] = []
        var rows: [UUID: Row] = [:]
        var accessTokens: [String: UUID] = [:]
        var lastAccessToken = 0
        var lifetime = 600
        var refusesEverything = false
    }

    let state = Locked(State())

    /// A backend without sessions, which takes any password.
    public init() {}

    /// What the backend has seen so far.
    public var counts: Counts { state.withLock { $0.counts } }

    /// The lifetime of access tokens granted from now on, in seconds.
    ///
    /// They end only by ``revokeAccessTokens()``.
    public var lifetime: Int {
        get { state.withLock { $0.lifetime } }
        set { state.withLock { $0.lifetime = newValue } }
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
    public func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) { try respond(to: request) }

    /// Answers a request to a token endpoint.
    public func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
        try respond(to: request)
    }
}

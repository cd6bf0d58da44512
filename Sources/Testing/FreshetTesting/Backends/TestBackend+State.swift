// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit

extension TestBackend {
    typealias Route = @Sendable (BackendRequest, String) -> BackendResponse

    /// A session, with the generation whose receipt the client has proved.
    struct Row {
        var proved: UInt64 = 0
        var intent: String?
        var ended: String?
        var email: String
        /// The time at which its latest tokens were granted.
        var grantedAt = Duration.zero

        var userID: String { "u-\(email)" }
    }

    /// The state of a backend, changed only under its lock.
    struct State {
        var counts = Counts()
        var script = FaultScript()
        var rows: [UUID: Row] = [:]
        var accessTokens: [String: UUID] = [:]
        var lastAccessToken = 0
        /// The names of the refresh tokens that were granted.
        var refreshTokenNames: [String: String] = [:]
        var lifetime = 600
        var refreshLifetime = 2_592_000
        var clockSkew = Duration.zero
        var refusesEverything = false
        var routes: [String: Route] = [:]
        /// Responses that wait for their release.
        var held: [PendingReply] = []
        /// The latest requests, the oldest first.
        private(set) var exchanges: [BackendExchange] = []
        var clock: TestClock?
        /// The time since the clock was created.
        var now = Duration.zero
        /// The time of the backend's clock, in seconds since 1970.
        var time = 0.0

        /// Reads the clock, and ends the sessions that were not refreshed within `refreshLifetime`.
        mutating func readClock() {
            now = clock?.now.offset ?? .zero
            let start = clock?.start ?? Date()
            time = start.timeIntervalSince1970 + now.inSeconds + clockSkew.inSeconds
            for (id, row) in rows where row.ended == nil && now - row.grantedAt >= .seconds(refreshLifetime) {
                rows[id]?.ended = "idle_timeout"
            }
        }

        mutating func record(_ exchange: BackendExchange) {
            // Bounds the memory of a backend that keeps running.
            if exchanges.count >= 2 * TestBackend.retainedExchanges {
                exchanges.removeFirst(TestBackend.retainedExchanges)
            }
            exchanges.append(exchange)
        }

        /// Returns the names of the tokens in a request.
        func tokens(in request: BackendRequest) -> [String] {
            var names: [String] = []
            for token in request.possibleTokens.map(String.init) {
                let number = token.hasPrefix("access-") ? Int(token.dropFirst(7)) : nil
                let isAccessToken = number.map { 1...max(1, lastAccessToken) ~= $0 } ?? false
                guard let name = isAccessToken ? token : refreshTokenNames[token], !names.contains(name) else {
                    continue
                }
                names.append(name)
            }
            return names.isEmpty && request.bearer != nil ? ["unknown"] : names
        }
    }
}

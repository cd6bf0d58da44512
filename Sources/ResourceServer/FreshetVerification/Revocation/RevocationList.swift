// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Verification
    /// The ended sessions whose access tokens may not have expired yet, from an issuer's feed.
    ///
    /// Without this list, a token is valid until its `exp`; with it, the token is refused within a second of its
    /// session's end. While the feed fails, tokens of sessions that end in the meantime are accepted until their `exp`,
    /// and ``status`` is ``Status/stale(since:)``.
    package actor RevocationList {
        package struct Limits: Equatable, Sendable {
            /// The maximum lifetime of access tokens in seconds, with a tolerance for differing clocks.
            package var maximumTokenLifetime: Double = 3660
            /// The maximum number of sessions; the oldest are removed first.
            package var capacity = 200_000
            /// The maximum time, in seconds, for which the feed may hold a request while there are no entries.
            package var wait = 25
            /// The interval between two attempts while the feed fails, in seconds.
            package var retry: ClosedRange<Double> = 0.5...15

            package init() {}
        }

        /// The state of the list.
        package enum Status: Equatable, Sendable {
            /// The feed has not responded yet.
            case none
            /// The list is complete, except for the latency of a response.
            case current
            /// Sessions that ended after this time are unknown.
            case stale(since: Double)
        }

        /// Requests the entries after a cursor, letting the feed hold the request for some seconds.
        package typealias Transport = @Sendable (_ after: String?, _ wait: Int) async throws -> RevocationPage

        private let limits: Limits
        private let now: @Sendable () -> Double
        private let sleep: @Sendable (Duration) async throws -> Void
        private let transport: Transport
        private var endings: [String: Double] = [:]
        /// The latest time of an end that was removed; whether a session had ended by then is unknown.
        private var removedUntil: Double?
        private var cursor: String?
        private var lastResponseAt: Double?
        private var isFailing = false

        package init(
            limits: Limits = Limits(),
            now: @escaping @Sendable () -> Double,
            sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
            transport: @escaping Transport
        ) {
            self.limits = limits
            self.now = now
            self.sleep = sleep
            self.transport = transport
        }

        package func hasEnded(_ session: String) -> Bool { endings[session] != nil }

        /// Whether a token of a session must be refused.
        ///
        /// Its session has ended; or that is unknown, because the token was issued before an end that is no longer in the
        /// list. That is an issuer's whose tokens live longer than ``Limits/maximumTokenLifetime``, or that ended more
        /// sessions than fit. A client that is refused refreshes its token.
        package func refuses(_ session: String, issuedAt: Double?) -> Bool {
            if hasEnded(session) { return true }
            guard let removedUntil else { return false }
            return (issuedAt ?? removedUntil) <= removedUntil
        }

        package var status: Status {
            guard let lastResponseAt else { return .none }
            return isFailing ? .stale(since: lastResponseAt) : .current
        }

        /// Polls the feed until the task is cancelled.
        ///
        /// - Parameter onFailure: Called with the error when the feed begins to fail, not for each attempt.
        package func follow(onFailure: @Sendable (any Error) -> Void = { _ in }) async {
            var pause = limits.retry.lowerBound
            while !Task.isCancelled {
                do {
                    try await poll()
                    pause = limits.retry.lowerBound
                } catch {
                    if !isFailing, !Task.isCancelled { onFailure(error) }
                    isFailing = true
                    // The pause has jitter, so that clients do not reconnect at the same time.
                    try? await sleep(.seconds(pause * Double.random(in: 0.5...1)))
                    pause = min(pause * 2, limits.retry.upperBound)
                }
            }
        }

        /// Polls the feed once.
        package func poll() async throws {
            let askedAt = now()
            let page = try await transport(cursor, lastResponseAt == nil || isFailing ? 0 : limits.wait)
            for entry in page.ended { endings[entry.sid] = max(entry.at, endings[entry.sid] ?? entry.at) }
            cursor = page.cursor
            forget()
            guard !page.more else { return }
            // A session that ended while the response was in transit is in the next response.
            lastResponseAt = max(askedAt, lastResponseAt ?? askedAt)
            isFailing = false
        }

        private func forget() {
            let earliest = now() - limits.maximumTokenLifetime
            if endings.count > limits.capacity / 2 {
                for (session, end) in endings where end < earliest { remove(session, end) }
            }
            let surplus = endings.count - limits.capacity
            guard surplus > 0 else { return }
            for (session, end) in endings.sorted(by: { $0.value < $1.value }).prefix(surplus) { remove(session, end) }
        }

        private func remove(_ session: String, _ end: Double) {
            endings[session] = nil
            removedUntil = max(removedUntil ?? end, end)
        }
    }
#endif

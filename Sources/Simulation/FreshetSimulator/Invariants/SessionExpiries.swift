// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetEngine

    /// The expiries of sessions, from the responses of the servers.
    ///
    /// The rules are those of `Models/expiry.pml`: no session expires before the newest expiry that a response had, but for an
    /// extension that lost commits may undo; none is refreshed after its expiry; none lives longer than the absolute timeout.
    final class SessionExpiries {
        /// The expiry that a response had, or implied.
        private struct IssuedExpiry {
            var answeredAt: Duration
            var expiry: Duration
            /// Whether its commit was flushed before the response.
            var isDurable: Bool
        }

        private struct Session {
            /// The time at which a server had opened it, and that at which the server had received the request.
            var openedAt, requestedAt: Duration
            var issued: [IssuedExpiry] = []
            /// The latest time at which it may expire.
            var latest = Duration.zero
        }

        /// The part of the idle timeout that lost commits may undo (PROTOCOL.md, Expiry).
        private static let durableExtensionDivisor = 30

        private let journal: Journal
        private let idle, absolute: Duration
        /// The difference between the clocks of servers, and the time in which a decision is made.
        private let tolerance: Duration
        private let retention: Duration
        /// How far a clock by which servers remove sessions has been ahead of the true time.
        var clockLead: () -> Duration = { .zero }
        private var sessions: [String: Session] = [:]
        /// The number of sessions that a server has refused because they had expired.
        private(set) var expired = 0
        private var refused: Set<String> = []

        init(_ plan: HistoryPlan, _ journal: Journal) {
            let usual = Lifetimes()
            idle = plan.lifetimes?.idle.map { .seconds($0) } ?? usual.idle
            absolute = plan.lifetimes?.absolute.map { .seconds($0) } ?? usual.absolute
            retention = .seconds(plan.lifetimes?.retention ?? 90 * 86_400)
            tolerance = plan.clockDifference + .seconds(10)
            self.journal = journal
        }

        // MARK: - Responses

        /// Records the response that brings a session.
        ///
        /// - Parameters:
        ///   - session: The session.
        ///   - time: The time at which the server had received the request.
        ///   - expiry: The seconds until the session expires; `nil` if the response does not tell.
        func opened(_ session: String, receivedAt time: Duration, _ expiry: Int?) {
            if sessions[session] == nil {
                sessions[session] = Session(openedAt: SimulationExecutor.shared.now, requestedAt: time)
            }
            extend(session, receivedAt: time, expiry)
        }

        /// Records the response to a refresh, and checks that the session had not expired.
        func refreshed(_ session: String, receivedAt time: Duration, _ expiry: Int?) {
            guard let known = sessions[session] else { return }
            if time > known.latest + tolerance {
                journal.violation("tokens of session \(session) were issued after its expiry")
            }
            extend(session, receivedAt: time, expiry)
        }

        /// Records a refresh without a response: it may have extended the session.
        func unanswered(_ session: String) {
            guard let known = sessions[session] else { return }
            let expiry = min(SimulationExecutor.shared.now + idle, known.openedAt + absolute)
            sessions[session]?.latest = max(known.latest, expiry)
        }

        /// Records that a server has refused a session because it had expired.
        func refused(_ session: String) {
            guard sessions[session] != nil else { return }
            if refused.insert(session).inserted { expired += 1 }
            if !mayHaveExpired(session) { journal.violation("session \(session) was refused before its expiry") }
        }

        private func extend(_ session: String, receivedAt time: Duration, _ seconds: Int?) {
            guard var known = sessions[session] else { return }
            let now = SimulationExecutor.shared.now
            let last = known.issued.last?.expiry ?? .zero
            // Quick repetitions of a refresh extend nothing.
            let quick = RotationPolicy(idleLifetime: idle).touchInterval
            let expiry = seconds.map { time + .seconds($0) } ?? min(time + idle - quick, known.requestedAt + absolute)
            let latest = seconds.map { now + .seconds($0 + 1) } ?? min(now + idle, known.openedAt + absolute)
            if latest > known.openedAt + absolute + tolerance {
                journal.violation("session \(session) expires after its absolute timeout")
            }
            let uncertainty = seconds == nil ? quick : .seconds(2)
            let isDurable = known.issued.isEmpty || expiry - last > idle / Self.durableExtensionDivisor + uncertainty
            known.issued.append(IssuedExpiry(answeredAt: now, expiry: expiry, isDurable: isDurable))
            known.latest = max(known.latest, latest)
            sessions[session] = known
        }

        // MARK: - Lost commits

        /// The commits that were not flushed may be lost.
        func powerFailed() {
            for id in sessions.keys {
                guard let last = sessions[id]?.issued.lastIndex(where: \.isDurable) else { continue }
                sessions[id]?.issued.removeSubrange((last + 1)...)
            }
        }

        /// The commits since a time are lost.
        func promoted(since time: Duration) {
            for id in sessions.keys { sessions[id]?.issued.removeAll { $0.answeredAt >= time } }
        }

        // MARK: - Questions

        /// Whether a session may have expired by now.
        func mayHaveExpired(_ session: String) -> Bool {
            guard let issued = sessions[session]?.issued else { return false }
            let expiry = issued.map(\.expiry).max() ?? .zero
            return SimulationExecutor.shared.now + idle / Self.durableExtensionDivisor + tolerance >= expiry
        }

        /// Whether the clean-up may have removed a session by now.
        ///
        /// - Parameters:
        ///   - session: The session.
        ///   - end: The time of its end; `nil` if it has not ended otherwise than by its expiry.
        /// - Returns: Whether it ended or expired longer ago than ended sessions are kept.
        func mayBeRemoved(_ session: String, endedAt end: Duration?) -> Bool {
            let now = SimulationExecutor.shared.now + clockLead()
            if let end, now + tolerance >= end + retention { return true }
            guard let issued = sessions[session]?.issued else { return false }
            let expiry = (issued.map(\.expiry).max() ?? .zero) - idle / Self.durableExtensionDivisor
            return now + tolerance >= expiry + retention
        }
    }
#endif

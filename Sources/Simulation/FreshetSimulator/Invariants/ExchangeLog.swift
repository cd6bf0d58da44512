// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetEngine
    import FreshetIdentity
    import FreshetWire

    /// The refreshes of clients that send no intents, and the ends of their sessions, as the servers decided them.
    ///
    /// It tells whether a sign-out is one that PROTOCOL.md names as a limit of plain mode.
    final class ExchangeLog: @unchecked Sendable {
        /// The window W of plain mode.
        static let window = RotationPolicy.window

        /// A refresh that reached a server.
        struct Delivery {
            var token: RefreshToken
            var hasIntent: Bool
            var holder: Holder
            var sentAt: Duration
            var receivedAt: Duration
            /// The time of the response, or of the server's end.
            var answeredAt: Duration
            /// The refresh token of the response; `nil` if it was refused, or if there is none.
            var successor: String?
            /// Whether the server has granted it, or may have granted it without such a response.
            var mayBeGranted: Bool
            /// The number of power failures of the servers before the response.
            var powerCuts: Int
        }

        /// The end of a session.
        struct Ending {
            var reason: EndReason
            /// The token that was refreshed, confirmed or reported, and ended the session by that; `nil` if it was ended
            /// otherwise.
            var token: RefreshToken?
            /// Whether the request had an intent.
            var hasIntent = false
            var at: Duration
            /// Whether the server's connection to the database was lost, so that it may not have happened.
            var isUndetermined = false
        }

        /// A decision to grant a refresh: its commit may fail, or become visible although its flush failed.
        private struct Grant {
            var token: String
            var hasIntent: Bool
            var at: Duration
        }

        /// A successor that a process of the owner received.
        private struct Receipt {
            var process: String
            var at: Duration
            /// Whether the store was available.
            var isStorable: Bool
            /// The time from which all processes of the device read the token; `nil` if it has not been stored.
            var readFrom: Duration?
        }

        /// The time in which a process reads a slow store, and uses what it has read.
        static let slowReadingTime = Duration.seconds(10)

        /// Whether a history has clients without intents; it records only the ends of sessions otherwise.
        var isRecording = false
        private let journal: Journal
        private var deliveries: [String: [Delivery]] = [:]
        /// The grants of each session.
        private var grants: [String: [Grant]] = [:]
        /// The ends of each session: a session can end again if a standby was promoted that had lost its end.
        private var endings: [String: [Ending]] = [:]
        private var promotedAt = Duration.zero
        private var powerFailedAt = Duration.zero
        /// Whether the servers' clocks run evenly, so that the window W has its length.
        var hasEvenClocks = true
        /// The maximum difference between the clocks of two servers.
        var clockDifference = Duration.zero
        private var receipts: [String: Receipt] = [:]
        /// The sessions that a served contract opened.
        private var served: Set<String> = []

        init(_ journal: Journal) { self.journal = journal }

        /// Whether a served contract opened a session.
        func isServed(_ session: String) -> Bool { served.contains(session) }

        /// Returns the ends of a session, the last one last.
        func endings(of session: String) -> [Ending] { endings[session, default: []] }

        /// Returns the sessions that have ended since a time.
        func endedSessions(since time: Duration) -> Set<String> {
            Set(endings.filter { $0.value.contains { $0.at >= time } }.keys)
        }

        /// A standby has been promoted, which may have lost ends.
        func promoted() { promotedAt = SimulationExecutor.shared.now }

        /// The database's machine has lost power, and with it the ends that were visible and not yet on disk.
        func powerFailed() { powerFailedAt = SimulationExecutor.shared.now }

        /// Whether the servers granted a refresh of a session to a thief.
        func wasGrantedToThief(_ session: String) -> Bool {
            deliveries[session, default: []].contains { $0.holder == .thief && $0.successor != nil }
        }

        // MARK: - Recording

        /// Receives the observations of the servers.
        var observer: SessionObserver { { [self] observation in observe(observation) } }

        private func observe(_ observation: SessionObservation) {
            let now = SimulationExecutor.shared.now
            switch observation {
            case .opened(let row):
                if row.contract != nil { served.insert(row.id.description) }
            case .ended(let ids, let reason, _):
                for id in ids { add(Ending(reason: reason, at: now), of: id.description) }
            case .decided(let decided), .undetermined(let decided, _):
                guard decided.before.ending == nil, let row = decided.decision.row else { return }
                guard let ending = row.ending else {
                    guard isRecording, case .refresh = decided.operation else { return }
                    let grant = Grant(token: decided.token.text, hasIntent: decided.intent != nil, at: now)
                    grants[decided.token.session.description, default: []].append(grant)
                    return
                }
                var end = Ending(reason: ending.reason, at: now)
                switch decided.operation {
                case .refresh, .confirm, .report: end.token = decided.token
                case .logout: break
                }
                end.hasIntent = decided.intent != nil
                if case .undetermined = observation { end.isUndetermined = true }
                add(end, of: decided.token.session.description, replaces: true)
            }
        }

        /// Adds the end of a session that no server has announced, unless it is known.
        ///
        /// - Parameters:
        ///   - reason: The reason of the end.
        ///   - session: The session.
        ///   - isStored: Whether the database has the end; otherwise it may have it.
        func addUnannounced(_ reason: EndReason, of session: SessionID, isStored: Bool = true) {
            guard !endings(of: session.description).contains(where: { $0.reason == reason }) else { return }
            let end = Ending(reason: reason, at: SimulationExecutor.shared.now, isUndetermined: !isStored)
            add(end, of: session.description)
        }

        /// Adds an end; it is the last one, unless that may have been lost since.
        private func add(_ ending: Ending, of session: String, replaces: Bool = false) {
            let last = endings[session, default: []].last
            if let last, last.at > promotedAt, last.at > powerFailedAt || last.reason == ending.reason {
                // A decision about the row as it was before an end is not committed after it.
                if ending.isUndetermined, !last.isUndetermined { return }
                if replaces || last.isUndetermined { endings[session, default: []].removeLast() } else { return }
            }
            endings[session, default: []].append(ending)
        }

        /// Records a refresh that a server has received, and its response.
        func record(_ exchange: TokenLedger.Exchange, status: Int? = nil, _ data: Data?, powerCuts: Int) {
            guard isRecording, exchange.request.nativePath == NativePath.refresh,
                let body = TokenBody(exchange.request), let token = try? RefreshToken(body.refreshToken)
            else { return }
            let granted = data.flatMap(ServedTokens.init)
            let isDecided = grants[token.session.description, default: []].contains { grant in
                grant.token == token.text && grant.hasIntent == (body.intent != nil)
                    && grant.at >= exchange.receivedAt
            }
            let delivery = Delivery(
                token: token,
                hasIntent: body.intent != nil,
                holder: exchange.holder,
                sentAt: exchange.sentAt,
                receivedAt: exchange.receivedAt,
                answeredAt: SimulationExecutor.shared.now,
                successor: granted.map { $0.refreshToken ?? body.refreshToken },
                // A server that is killed may have granted it before.
                mayBeGranted: granted != nil || status == nil || isDecided,
                powerCuts: powerCuts
            )
            if granted != nil, wasReplaced(delivery) {
                journal.violation("a token of session \(token.session) was granted after its replacement by a sibling")
            }
            if status == 409, exchange.request.url?.path == NativePath.oauthToken, hasEvenClocks, isReuse(delivery) {
                journal.violation(
                    "a token of session \(token.session) is superseded for longer than W, and ends nothing"
                )
            }
            deliveries[token.session.description, default: []].append(delivery)
        }

        /// Whether a later generation was proved longer than W before a refresh token was presented: it is a sign of theft.
        private func isReuse(_ delivery: Delivery) -> Bool {
            let (all, presented) = (
                deliveries[delivery.token.session.description, default: []], delivery.token.generation
            )
            guard let newest = all.map(\.token.generation).max(), newest > presented, !delivery.hasIntent,
                all.allSatisfy({ $0.powerCuts == delivery.powerCuts })
            else { return false }
            let proofs = all.filter { $0.token.generation == newest && $0.successor != nil }.map(\.answeredAt)
            return proofs.min().map { $0 + Self.window + .seconds(1) < delivery.receivedAt } ?? false
        }

        /// Whether a later sibling of a refresh token was issued before the token was presented: it shows two holders.
        private func wasReplaced(_ delivery: Delivery) -> Bool {
            let (all, presented) = (deliveries[delivery.token.session.description, default: []], delivery.token.body)
            guard !all.contains(where: \.hasIntent), !delivery.hasIntent else { return false }
            return all.contains { other in
                guard let sibling = other.successor.flatMap({ try? RefreshToken($0) })?.body else { return false }
                return sibling.generation == presented.generation && sibling.branch > presented.branch
                    && other.powerCuts == delivery.powerCuts && other.answeredAt < delivery.receivedAt
            }
        }

        /// Records that a process of the owner has received a response.
        func received(_ data: Data, by process: String, isStorable: Bool) {
            guard isRecording, let token = ServedTokens(data)?.refreshToken, receipts[token] == nil else { return }
            receipts[token] = Receipt(process: process, at: SimulationExecutor.shared.now, isStorable: isStorable)
        }

        /// Records that a device has stored a refresh token.
        func stored(_ token: String, isSlow: Bool) {
            guard let receipt = receipts[token], receipt.readFrom == nil else { return }
            let time = isSlow ? Self.slowReadingTime : SimulationExecutor.shared.simultaneity
            receipts[token]?.readFrom = SimulationExecutor.shared.now + time
        }

        /// Forgets what a process that ends had received and was storing.
        func ended(
            _ process: String,
            isSlow: (_ inLast: Duration) -> Bool = { _ in false },
            wasStored: (String) -> Bool
        ) {
            receipts = receipts.filter { token, receipt in
                receipt.process != process || !isBeingStored(receipt, isSlow) || wasStored(token)
            }
        }

        /// Records that the store of some processes is unavailable from now on.
        func failStore(of processes: [String], isSlow: (_ inLast: Duration) -> Bool, wasStored: (String) -> Bool) {
            for (token, receipt) in receipts where processes.contains(receipt.process) {
                guard isBeingStored(receipt, isSlow), !wasStored(token) else { continue }
                receipts[token]?.isStorable = false
            }
        }

        private func isBeingStored(_ receipt: Receipt, _ isSlow: (_ inLast: Duration) -> Bool) -> Bool {
            let time = SimulationExecutor.shared.now - receipt.at
            return time <= SimulationExecutor.shared.simultaneity || isSlow(time)
        }

        // MARK: - Limits

        /// Returns the limit of PROTOCOL.md that explains the end of a session.
        ///
        /// - Parameters:
        ///   - session: The session.
        ///   - rolledBackAt: The time at which the device's app went back to a version without intents.
        ///   - wasStored: Whether the device has ever stored a refresh token.
        /// - Returns: `nil` if none does.
        func limit(_ session: String, rolledBackAt: Duration?, wasStored: (String) -> Bool) -> ProtocolLimit? {
            guard let end = endings(of: session).last, let fatal = end.token,
                [.fork, .reuse, .staleHolder].contains(end.reason.known)
            else { return nil }
            let isUnstored = receipts.contains { token, receipt in
                !receipt.isStorable && !wasStored(token)
                    && (try? RefreshToken(token))?.session.description == session
            }
            // An app that has been updated reports the token that its store has.
            if end.reason.known == .staleHolder { return isUnstored ? .unstoredSuccessor : nil }
            let all = deliveries[session, default: []]
            let own = all.filter {
                $0.token.text == fatal.text && $0.hasIntent == end.hasIntent && $0.holder == .owner
                    && $0.receivedAt <= end.at && end.at <= $0.answeredAt
            }
            let isAfterIntents = all.contains { $0.hasIntent && $0.mayBeGranted && $0.receivedAt <= end.at }
            if let rolledBackAt, isAfterIntents, own.contains(where: { !$0.hasIntent && $0.sentAt >= rolledBackAt }) {
                return .downgrade
            }
            let siblings = all.filter { $0.token.generation + 1 == fatal.generation && $0.mayBeGranted }
            if (own + siblings).contains(where: { isLateDuplicate($0, in: all) }) { return .lateDuplicate }
            return isUnstored ? .unstoredSuccessor : nil
        }

        /// Whether a refresh token was issued for a late duplicate, which replaced its sibling.
        func wasIssuedLate(_ token: RefreshToken) -> Bool {
            let all = deliveries[token.session.description, default: []]
            return all.contains { $0.successor == token.text && isLateDuplicate($0, in: all) }
        }

        /// Whether a request that was sent before its sender could know of a successor arrived later than W after the
        /// first one with its token.
        private func isLateDuplicate(_ delivery: Delivery, in all: [Delivery]) -> Bool {
            let requests = all.filter { $0.token.text == delivery.token.text }
            return requests.contains { first in
                guard first.mayBeGranted, first.receivedAt + Self.window - clockDifference <= delivery.answeredAt else {
                    return false
                }
                // Of a grant whose flush failed, a retry has the response.
                let successors =
                    first.successor.map { [$0] }
                    ?? requests.filter { $0.answeredAt <= delivery.receivedAt }.compactMap(\.successor)
                return successors.allSatisfy { successor in
                    // A process cannot know of tokens that another one could not store, or has not stored yet.
                    guard let receipt = receipts[successor], receipt.isStorable else { return true }
                    return delivery.sentAt <= receipt.readFrom ?? receipt.at + SimulationExecutor.shared.simultaneity
                }
            }
        }
    }

    extension EndReason {
        /// The reason, if this version knows it.
        var known: KnownEndReason? { if case .known(let reason) = self { reason } else { nil } }
    }
#endif

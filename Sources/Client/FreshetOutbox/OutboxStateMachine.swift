// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetKit

/// Decides which item of an account is sent next.
///
/// Like the session's state machine it never waits, reads a clock or performs I/O. Every attempt has a number, and the
/// end of an obsolete attempt has no effect.
struct OutboxStateMachine {
    /// An attempt to send an item.
    struct Attempt: Equatable, Sendable {
        var number: Int
        var entry: OutboxEntry
        /// The number of the attempt for this item, from 1.
        var attempt: Int
    }

    /// The result of an attempt.
    enum AttemptResult: Equatable {
        /// The item was delivered, or another process delivered it or made it a dead letter.
        case gone
        /// The item became a dead letter.
        case dead
        /// The attempt failed, possibly with a `Retry-After`.
        case failed(retryAfter: Duration?)
        /// Another process is sending an item of this lane.
        case busy
        /// The server refused both the token and its successor.
        case refused(TokenIdentity)
        /// The item has the format of a newer version of the app.
        case newer
        /// No request was sent.
        case withdrawn
    }

    /// The effect of an attempt's result.
    enum AttemptEffect: Equatable {
        /// The attempt was obsolete.
        case none
        case completed
        case pausing(Duration)
        case held(OutboxHoldReason)
    }

    let parallelLanes: Int
    let backoff: RetryBackoff
    let holdsLaneOfDeadLetter: Bool
    /// The reason that sending is held; `nil` if it is not.
    private(set) var hold: OutboxHoldReason? = .signedOut
    /// The totals of the lanes.
    private(set) var laneCounters = OutboxLaneCounters()

    private var lanes: [String: OutboxLane] = [:]
    /// The lanes that may send, in the order of their turns; some may no longer be ready.
    private var ready: ArraySlice<String> = []
    /// The ends of the lanes' pauses.
    private var deadlines: [String: Duration] = [:]
    private var lastRun = 0

    init(parallelLanes: Int, backoff: RetryBackoff, holdsLaneOfDeadLetter: Bool = false) {
        self.parallelLanes = max(parallelLanes, 1)
        self.backoff = backoff
        self.holdsLaneOfDeadLetter = holdsLaneOfDeadLetter
    }

    /// The time of the next action that is due without an event; `nil` if there is none.
    var nextDeadline: Duration? { hold == nil ? deadlines.values.min() : nil }

    /// Whether no item is being sent, and no item waits only for its turn.
    var isIdle: Bool { laneCounters.sending == 0 && (hold != nil || laneCounters.ready == 0) }

    // MARK: The account

    /// Switches to another account; attempts in progress become obsolete.
    mutating func resetForNewAccount() {
        self = OutboxStateMachine(
            parallelLanes: parallelLanes,
            backoff: backoff,
            holdsLaneOfDeadLetter: holdsLaneOfDeadLetter,
            lastRun: lastRun
        )
    }

    private init(parallelLanes: Int, backoff: RetryBackoff, holdsLaneOfDeadLetter: Bool, lastRun: Int) {
        self.init(parallelLanes: parallelLanes, backoff: backoff, holdsLaneOfDeadLetter: holdsLaneOfDeadLetter)
        self.lastRun = lastRun
    }

    /// Holds sending.
    ///
    /// - Returns: Whether the reason has changed.
    mutating func close(_ hold: OutboxHoldReason) -> Bool {
        defer { self.hold = hold }
        return self.hold != hold
    }

    /// Ends the hold.
    ///
    /// - Returns: Whether sending was held.
    mutating func open() -> Bool {
        defer { hold = nil }
        return hold != nil
    }

    // MARK: Items

    /// Replaces all items by those on disk, in any order, and the lanes with dead letters.
    mutating func synchronize(_ entries: [OutboxEntry], dead: Set<String>) {
        var found = Dictionary(grouping: entries, by: \.lane)
        for name in Set(lanes.keys).union(found.keys).union(holdsLaneOfDeadLetter ? dead : []) {
            let entries = found.removeValue(forKey: name)?.sorted { $0.number < $1.number } ?? []
            let isBlocked = holdsLaneOfDeadLetter && dead.contains(name)
            change(name) { lane in
                if lane.entries.first != entries.first { (lane.failures, lane.refusals) = (0, 0) }
                lane.entries = entries[...]
                switch lane.state {
                case .sending: lane.isBlocked = isBlocked
                case .blocked where !isBlocked: lane.state = .ready
                case .ready, .pausing, .refused, .blocked: if isBlocked { lane.state = .blocked }
                }
            }
        }
    }

    /// Adds items.
    mutating func add(_ entries: [OutboxEntry]) {
        // Each item is inserted by the change that creates its lane, because a change removes a lane without items.
        for entry in entries { change(entry.lane) { $0.insert(entry) } }
    }

    // MARK: Attempts

    /// Starts the attempts that may start now, and returns them.
    mutating func start() -> [Attempt] {
        guard hold == nil else { return [] }
        var runs: [Attempt] = []
        while laneCounters.sendingLanes < parallelLanes, let name = ready.popFirst() {
            guard let lane = lanes[name], lane.state == .ready, let entry = lane.entries.first else { continue }
            lastRun += 1
            let number = lastRun
            change(name) { $0.state = .sending(run: number) }
            runs.append(Attempt(number: number, entry: entry, attempt: lane.failures + 1))
        }
        return runs
    }

    /// Whether an attempt is not obsolete, and may send.
    func isCurrent(_ run: Attempt) -> Bool {
        hold == nil && lanes[run.entry.lane]?.state == .sending(run: run.number)
    }

    /// Whether the lane is empty after this attempt's item.
    func isLast(_ run: Attempt) -> Bool { (lanes[run.entry.lane]?.entries.count ?? 0) <= 1 }

    /// Ends an attempt.
    mutating func finish(_ run: Attempt, _ ending: AttemptResult, now: Duration, chance: Double) -> AttemptEffect {
        let name = run.entry.lane
        guard lanes[name]?.state == .sending(run: run.number) else { return .none }
        var consequence = AttemptEffect.completed
        change(name) { [backoff, holdsLaneOfDeadLetter] lane in
            lane.state = lane.isBlocked ? .blocked : .ready
            switch ending {
            case .withdrawn: break
            case .gone: lane.remove(run.entry)
            case .dead:
                lane.remove(run.entry)
                if holdsLaneOfDeadLetter {
                    lane.state = .blocked
                    consequence = .held(.deadLetter)
                }
            case .busy:
                // Another process is sending the item, which is not a failure.
                let delay = Duration.milliseconds(500) * (1 + chance)
                lane.state = .pausing(until: now + delay, isServerRequested: false)
            case .failed(let retryAfter):
                lane.failures += 1
                let delay = backoff.delay(afterFailures: lane.failures, retryAfter: retryAfter, chance: chance)
                lane.state = .pausing(until: now + delay, isServerRequested: retryAfter != nil)
                consequence = .pausing(delay)
            case .refused(let mark):
                lane.failures += 1
                lane.refusals += 1
                // The first accepted request ends the hold. If the server accepts the token for other requests but
                // never for this item, each hold lasts longer than the previous one. Otherwise every request of the app
                // would cause an attempt.
                let pause = backoff.delay(afterFailures: lane.refusals - 1, retryAfter: nil, chance: 0.5 + chance / 2)
                lane.state = .refused(
                    mark,
                    earliest: lane.refusals == 1 ? now : now + pause,
                    until: now + Self.longestRefusal * (0.5 + chance / 2)
                )
                consequence = .held(.tokenRefused)
            case .newer:
                lane.state = .pausing(until: now + Self.longestRefusal, isServerRequested: true)
                consequence = .held(.newerVersion)
            }
        }
        return consequence
    }

    /// The interval of retries with the same token.
    ///
    /// Without it, the item would never be retried if no other code uses the session.
    static let longestRefusal = Duration.seconds(3_600)

    // MARK: Time and events

    /// Ends the pauses that are over.
    mutating func expirePauses(now: Duration) {
        for (name, end) in deadlines where end <= now { change(name) { $0.state = .ready } }
    }

    /// Retries all lanes whose pause was not requested by the server, because the network is back or may be back.
    mutating func wake() {
        for name in deadlines.keys {
            change(name) { lane in
                switch lane.state {
                case .pausing(_, isServerRequested: false), .refused: lane.state = .ready
                case .pausing, .ready, .sending, .blocked: break
                }
            }
        }
    }

    /// Ends the holds of refused tokens, because the server accepted the token for another request.
    mutating func tokenAccepted(now: Duration) {
        for name in deadlines.keys {
            change(name) { lane in
                guard case .refused(_, let earliest, _) = lane.state else { return }
                lane.state = earliest <= now ? .ready : .pausing(until: earliest, isServerRequested: false)
            }
        }
    }

    /// Ends the holds of tokens other than the current one.
    mutating func tokenChanged(_ mark: TokenIdentity) {
        for name in deadlines.keys {
            change(name) { if case .refused(let old, _, _) = $0.state, old != mark { $0.state = .ready } }
        }
    }

    /// Changes a lane, and updates the derived values.
    private mutating func change(_ name: String, _ body: (inout OutboxLane) -> Void) {
        // The lane is removed while it changes, to avoid a copy of its items.
        var lane = lanes.removeValue(forKey: name) ?? OutboxLane()
        let wasReady = lane.isReady
        laneCounters.subtract(lane)
        body(&lane)
        deadlines[name] = lane.deadline
        guard !lane.isRemovable else { return }
        laneCounters.add(lane)
        if lane.isReady, !wasReady { ready.append(name) }
        lanes[name] = lane
    }
}

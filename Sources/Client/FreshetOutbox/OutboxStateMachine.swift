// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetKit

/// Decides which item of an account is sent next.
///
/// Like the session's machine it never waits, reads a clock or performs I/O. Every attempt has a number, and an end that
/// names an attempt of another account, or none, has no effect.
struct OutboxStateMachine {
    /// An attempt to send an item.
    struct Attempt: Equatable, Sendable {
        var number: Int
        var entry: OutboxEntry
        /// Which attempt it is for this item, from 1.
        var attempt: Int
    }

    /// How an attempt ended.
    enum AttemptResult: Equatable {
        /// The item is delivered, set aside, or was another process's.
        case gone
        /// The item is a dead letter now.
        case dead
        /// The attempt failed; the server may have said how long to wait.
        case failed(retryAfter: Duration?)
        /// Another process sends an item of this lane.
        case busy
        /// The server takes neither the token nor its successor.
        case refused(TokenIdentity)
        /// The item has a form that only a newer version of the app knows.
        case newer
        /// Nothing was tried.
        case withdrawn
    }

    /// What an attempt's end leads to.
    enum AttemptEffect: Equatable {
        /// The attempt was overtaken.
        case none
        case completed
        case pausing(Duration)
        case held(OutboxHoldReason)
    }

    let parallelLanes: Int
    let backoff: RetryBackoff
    let holdsLaneOfDeadLetter: Bool
    /// Why nothing may be sent; `nil` if it may.
    private(set) var hold: OutboxHoldReason? = .signedOut
    /// Items by what they do.
    private(set) var laneCounters = OutboxLaneCounters()

    private var lanes: [String: OutboxLane] = [:]
    /// The lanes that may send, in the order of their turns; some may be there in vain.
    private var ready: ArraySlice<String> = []
    /// When lanes that wait go on.
    private var deadlines: [String: Duration] = [:]
    private var lastRun = 0

    init(parallelLanes: Int, backoff: RetryBackoff, holdsLaneOfDeadLetter: Bool = false) {
        self.parallelLanes = max(parallelLanes, 1)
        self.backoff = backoff
        self.holdsLaneOfDeadLetter = holdsLaneOfDeadLetter
    }

    /// When something is to be done without an event.
    var nextDeadline: Duration? { hold == nil ? deadlines.values.min() : nil }

    /// Whether nothing is on its way, and nothing waits for its turn alone.
    var isIdle: Bool { laneCounters.sending == 0 && (hold != nil || laneCounters.ready == 0) }

    // MARK: The account

    /// What is sent from now on is another account's; attempts under way are none of ours any more.
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

    /// - Returns: Whether that is news.
    mutating func close(_ hold: OutboxHoldReason) -> Bool {
        defer { self.hold = hold }
        return self.hold != hold
    }

    /// - Returns: Whether that is news.
    mutating func open() -> Bool {
        defer { hold = nil }
        return hold != nil
    }

    // MARK: Items

    /// All items that wait on disk, in any order, and the lanes that have a dead letter.
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

    /// Items were put down.
    mutating func add(_ entries: [OutboxEntry]) {
        // Without items and without a state a lane would not last until the next line.
        for entry in entries { change(entry.lane) { $0.insert(entry) } }
    }

    // MARK: Attempts

    /// The attempts that begin now.
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

    /// Whether an attempt still counts, and may send.
    func isCurrent(_ run: Attempt) -> Bool {
        hold == nil && lanes[run.entry.lane]?.state == .sending(run: run.number)
    }

    /// Whether nothing of the lane is left once this attempt's item is gone.
    func isLast(_ run: Attempt) -> Bool { (lanes[run.entry.lane]?.entries.count ?? 0) <= 1 }

    /// An attempt ended.
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
                // The sibling is at it: nothing failed.
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
                // The first accepted call ends the hold at once. If the server takes the token elsewhere and never for this
                // item, each further hold lasts longer, or every call of the app would cost one more attempt.
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

    /// When to ask again although the token is the same: nobody else may use the session, and then it never changes.
    static let longestRefusal = Duration.seconds(3_600)

    // MARK: Time and news

    /// Lanes whose pause is over go on.
    mutating func expirePauses(now: Duration) {
        for (name, end) in deadlines where end <= now { change(name) { $0.state = .ready } }
    }

    /// The network is back, or the app believes so: every lane goes on that the server did not ask to wait.
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

    /// The server accepted the session's token for some call.
    mutating func tokenAccepted(now: Duration) {
        for name in deadlines.keys {
            change(name) { lane in
                guard case .refused(_, let earliest, _) = lane.state else { return }
                lane.state = earliest <= now ? .ready : .pausing(until: earliest, isServerRequested: false)
            }
        }
    }

    /// The session has this token now.
    mutating func tokenChanged(_ mark: TokenIdentity) {
        for name in deadlines.keys {
            change(name) { if case .refused(let old, _, _) = $0.state, old != mark { $0.state = .ready } }
        }
    }

    /// Changes a lane, and keeps everything that depends on it in step.
    private mutating func change(_ name: String, _ body: (inout OutboxLane) -> Void) {
        // Taken out meanwhile, or its items would be copied.
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

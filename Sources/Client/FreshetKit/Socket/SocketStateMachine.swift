// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The state machine of a session's socket.
///
/// It never waits, reads a clock or performs I/O: it takes an event and returns an action. Every attempt, from the
/// token request to the end of its connection, and every pause has a number; an event with an obsolete number has no
/// effect. There is at most one connection: a new one is opened only when the old one is closed.
struct SocketStateMachine {
    typealias Number = Int

    enum State: Equatable {
        /// Not opened yet. Goes to `fetching`.
        case idle
        /// A token is being obtained. Goes to `connecting`, `waiting` or `closed`.
        case fetching(Number, SocketTokenRequirement)
        /// Goes to `open`, to `fetching` for another token, and to `waiting`; to `ending` when it is cancelled.
        case connecting(Number, SocketToken)
        /// Goes only to `ending`, whichever side closes it.
        case open(Number, Link)
        /// The connection is being closed; the next step starts when it is closed.
        case ending(Number, Next)
        /// Goes to `fetching` after a delay, or when the cause of the interruption is resolved.
        case waiting(Number, Pause)
        /// Goes to `fetching` when it is opened again.
        case closed(SocketCloseReason)
    }

    /// An open connection.
    struct Link: Equatable {
        /// The token that was sent to the server last.
        var token: SocketToken
        let openedAt: Duration
        /// The number of the connection, for the public state.
        let connection: Int
        var isRenewing = false
    }

    /// The cause of a pause, its end, and the requirement of the token after it.
    struct Pause: Equatable {
        /// The end of the pause; `nil` if only an event ends it.
        var until: Duration?
        var interruption: SocketInterruption
        var need: SocketTokenRequirement
    }

    enum Next: Equatable {
        case fetch(SocketTokenRequirement)
        case wait(Pause)
        case close(SocketCloseReason)
    }

    enum Action: Equatable {
        case nothing
        /// Obtain a token, and report by `tokenReceived` or `tokenFailed`.
        case fetchToken(Number, SocketTokenRequirement)
        /// The token is no longer needed.
        case cancelTokenFetch(Number)
        /// Connect, and report by `connected` or `ended`.
        case connect(Number, SocketToken)
        /// Read, write and ping; at this time call `renewalDue`.
        case serve(Number, connection: Int, renewalAt: Duration?)
        /// Cancel or close the connection, and then call `disconnected`.
        case disconnect(Number, code: Int)
        /// Call `wake` at this time; with `nil` do nothing.
        case sleep(Number, until: Duration?)
        /// Obtain a token for the open connection, and report by `renewed`.
        case renew(Number, SocketTokenRequirement)
        /// Send the token over the open connection; at this time call `renewalDue`.
        case push(Number, SocketToken, renewalAt: Duration?)
        /// Ping the server now.
        case probe(Number)
    }

    var state = State.idle
    let rules: SocketPolicy

    private var lastNumber = 0
    var connections = 0
    /// The session ID that the socket serves; its messages are never delivered to another user.
    var owner: String?
    var isSuspended = false
    var isNetworkDown = false
    /// The number of failures since the last stable connection.
    var failures = 0
    /// Whether a refused token was replaced since the last stable connection.
    var hasReplaced = false
    /// The earliest next attempt: `backoffEnd` is the client's, `retryAfterEnd` the server's.
    var backoffEnd = Duration.zero
    var retryAfterEnd = Duration.zero
    /// The last interruption, shown during a pause.
    var lastInterruption = SocketInterruption.unreachable

    init(rules: SocketPolicy) { self.rules = rules }

    /// Returns the public state.
    func socketState(now: Duration) -> SocketState {
        switch state {
        case .idle: .idle
        case .fetching, .ending(_, .fetch): .waitingForToken
        case .connecting: .connecting
        case .open(_, let link): .open(connection: link.connection)
        case .waiting(_, let pause), .ending(_, .wait(let pause)):
            .waiting(retryAfter: pause.until.map { max($0 - now, .zero) }, pause.interruption)
        case .closed(let end), .ending(_, .close(let end)): .closed(end)
        }
    }

    /// Whether a connection, or an attempt, is being closed.
    var isEnding: Bool { if case .ending = state { true } else { false } }

    // MARK: Transitions

    mutating func pause(
        for interruption: SocketInterruption,
        retryAfter: Duration?,
        _ need: SocketTokenRequirement,
        _ now: Duration,
        _ chance: Double
    ) -> Pause {
        failures += 1
        backoffEnd = now + rules.backoff.delay(afterFailures: failures, retryAfter: retryAfter, chance: chance)
        if retryAfter != nil { retryAfterEnd = backoffEnd }
        return Pause(until: max(backoffEnd, retryAfterEnd), interruption: interruption, need: need)
    }

    mutating func go(to next: Next, now: Duration) -> Action {
        switch next {
        case .fetch(let need): return begin(need, now: now)
        case .wait(let pause):
            if let until = pause.until, until <= now { return begin(pause.need, now: now) }
            return wait(pause)
        case .close(let end):
            state = .closed(end)
            return .nothing
        }
    }

    mutating func begin(_ need: SocketTokenRequirement, now: Duration) -> Action {
        guard !isSuspended else { return wait(Pause(until: nil, interruption: .suspended, need: need)) }
        let earliest = max(backoffEnd, retryAfterEnd)
        guard now >= earliest else { return wait(Pause(until: earliest, interruption: lastInterruption, need: need)) }
        let number = nextNumber()
        state = .fetching(number, need)
        return .fetchToken(number, need)
    }

    mutating func wait(_ pause: Pause) -> Action {
        let number = nextNumber()
        if pause.interruption != .suspended { lastInterruption = pause.interruption }
        state = .waiting(number, pause)
        return .sleep(number, until: pause.until)
    }

    mutating func disconnect(_ number: Number, code: Int, then next: Next) -> Action {
        state = .ending(number, next)
        return .disconnect(number, code: code)
    }

    mutating func forgetFailures() {
        failures = 0
        hasReplaced = false
        backoffEnd = .zero
        retryAfterEnd = .zero
    }

    mutating func nextNumber() -> Number {
        lastNumber += 1
        return lastNumber
    }
}

extension SocketStateMachine.State {
    /// The close reason, if the socket does not reconnect automatically.
    var end: SocketCloseReason? {
        switch self {
        case .closed(let end), .ending(_, .close(let end)): end
        default: nil
        }
    }
}

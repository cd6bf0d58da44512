// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Decides what a session's socket does next.
///
/// It never waits, reads a clock or performs I/O: it takes an event and returns what is to be done. Every attempt has a
/// number that it keeps from the search for a token to the end of its connection, and every pause has one; an event that
/// names an overtaken number has no effect. There is one connection at most: a new one is begun only when the old one is
/// gone.
struct SocketStateMachine {
    typealias Number = Int

    enum State: Equatable {
        /// Nobody asked for it. Goes to `fetching`.
        case idle
        /// A token is being got. Goes to `connecting`, `waiting` or `closed`.
        case fetching(Number, SocketTokenRequirement)
        /// Goes to `open`, to `fetching` for another token, and to `waiting`; to `ending` when it is called off.
        case connecting(Number, SocketToken)
        /// Goes to `ending` alone, whoever ends it.
        case open(Number, Link)
        /// The connection is being taken down; what comes next begins when it is gone.
        case ending(Number, Next)
        /// Goes to `fetching` when time or what is missing has come.
        case waiting(Number, Pause)
        /// Goes to `fetching` when somebody asks again.
        case closed(SocketCloseReason)
    }

    /// An open connection.
    struct Link: Equatable {
        /// The token that the server was shown last.
        var token: SocketToken
        let openedAt: Duration
        /// Counts connections, for people.
        let connection: Int
        var isRenewing = false
    }

    /// Why nothing is done, until when, and what is then needed.
    struct Pause: Equatable {
        /// `nil` until somebody says so.
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
        /// Get a token, and tell by `tokenReceived` or `tokenFailed`.
        case fetchToken(Number, SocketTokenRequirement)
        /// Nobody waits for this token any more.
        case cancelTokenFetch(Number)
        /// Connect, and tell by `connected` or `ended`.
        case connect(Number, SocketToken)
        /// Read, write and ping; at this time tell by `renewalDue`.
        case serve(Number, connection: Int, renewalAt: Duration?)
        /// Call off or close the connection, and tell by `disconnected` when it is.
        case disconnect(Number, code: Int)
        /// Tell by `wake` at this time; with `nil` do nothing.
        case sleep(Number, until: Duration?)
        /// Get a token for the open connection, and tell by `renewed`.
        case renew(Number, SocketTokenRequirement)
        /// Send the token over the open connection; at this time tell by `renewalDue`.
        case push(Number, SocketToken, renewalAt: Duration?)
        /// Ask the server for a sign of life now.
        case probe(Number)
    }

    var state = State.idle
    let rules: SocketPolicy

    private var lastNumber = 0
    var connections = 0
    /// The sign-in that the socket serves; what is under way for it goes to nobody else.
    var owner: String?
    var isSuspended = false
    var isNetworkDown = false
    /// Failures since the last connection that lasted.
    var failures = 0
    /// Whether a refused token was replaced since the last connection that lasted.
    var hasReplaced = false
    /// No attempt begins before: `backoffEnd` is our own wish, `retryAfterEnd` the server's.
    var backoffEnd = Duration.zero
    var retryAfterEnd = Duration.zero
    /// What went wrong last, for people who look during a pause.
    var lastInterruption = SocketInterruption.unreachable

    init(rules: SocketPolicy) { self.rules = rules }

    /// What people are shown.
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

    /// Whether a connection, or what might become one, is being taken down.
    var isEnding: Bool { if case .ending = state { true } else { false } }

    // MARK: Moving

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
    /// Why nothing comes by itself any more, if that is so.
    var end: SocketCloseReason? {
        switch self {
        case .closed(let end), .ending(_, .close(let end)): end
        default: nil
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// Runs a socket: passes events to the state machine, performs its actions, and delivers messages.
///
/// The actor guards the state machine and the two queues. It never blocks: tokens, handshakes, reads, writes and pings
/// run in tasks that report back with the number of the attempt they belong to.
actor SocketDriver {
    typealias Consumer = CheckedContinuation<SocketMessage?, Never>
    typealias Sender = CheckedContinuation<Result<Void, SocketError>, Never>

    /// The dependencies of a driver.
    struct Dependencies: Sendable {
        var request: SocketRequest
        var configuration: SocketConfiguration
        var rules: SocketPolicy
        var classifier: SocketClassifier
        var tokens: SocketTokenProvider
        var transport: any WebSocketTransport
        var semaphore: AsyncSemaphore
        var clock: SessionClock { tokens.clock }
    }

    nonisolated let parts: Dependencies
    nonisolated let broadcaster = Broadcaster(state: SocketState.idle, bufferSize: 64)
    nonisolated var clock: SessionClock { parts.clock }
    nonisolated var configuration: SocketConfiguration { parts.configuration }

    var machine: SocketStateMachine
    var inbox: SocketInbox<Consumer>
    var queue: SocketSendQueue<Sender>
    /// The open connection, and its number.
    var link: (number: Int, connection: any WebSocketConnection)?
    /// The task that reads the newest connection's messages, after all messages of the previous one.
    var reading: Task<Void, Never>?
    /// The reader that waits for space in the inbox.
    var blockedReader: CheckedContinuation<Void, Never>?
    /// The number of closes: messages read before a close are not delivered after it.
    var epoch = 0
    /// The time at which the last message or pong was received.
    var lastReceivedAt = Duration.zero

    /// Called when a message was queued, for tests.
    var onQueue: (@Sendable () -> Void)?

    private var attempt: Task<Void, Never>?
    var pinging: Task<Void, Never>?
    private var reconnectTimer: Task<Void, Never>?
    private var renewal: Task<Void, Never>?
    private var watch: Task<Void, Never>?
    private var publishedState: SocketStateMachine.State = .idle

    init(_ parts: Dependencies, in environment: SocketEnvironment) {
        self.parts = parts
        var machine = SocketStateMachine(rules: parts.rules)
        machine.isSuspended = environment.isSuspended
        machine.isNetworkDown = environment.isNetworkDown
        self.machine = machine
        inbox = SocketInbox(limit: parts.configuration.incomingLimit)
        queue = SocketSendQueue(limit: parts.configuration.outgoingLimit)
    }

    deinit { watch?.cancel() }

    // MARK: Commands

    func start() {
        if watch == nil {
            let changes = parts.tokens.published.changes()
            watch = Task { [weak self] in
                for await _ in changes { await self?.sessionChanged() }
            }
        }
        // An open connection of another user must not be reused.
        if !isOwnersSession { sessionChanged() }
        if machine.state.end != nil { inbox.restart() }
        act(machine.start(owner: parts.tokens.published.status.sessionID, now: clock.now()))
    }

    func close() { act(machine.stop(.requested)) }

    func suspend() { act(machine.suspend()) }

    func resume() { act(machine.resume(now: clock.now())) }

    func networkChanged(isUp: Bool) {
        act(machine.networkChanged(isUp: isUp, now: clock.now(), chance: clock.chance()))
    }

    /// Reads the session's current state; calls may overtake each other.
    func sessionChanged() {
        let (status, token) = parts.tokens.published.current
        act(machine.sessionChanged(status.state, id: status.sessionID, token: token))
    }

    /// Whether the session still belongs to the user that the socket serves.
    var isOwnersSession: Bool {
        let status = parts.tokens.published.status
        guard let id = status.sessionID else { return !status.state.isOver }
        return machine.owner == nil || id == machine.owner
    }

    // MARK: Actions

    func act(_ action: SocketStateMachine.Action) {
        publishState()
        switch action {
        case .nothing: break
        case .fetchToken(let number, let need): fetchToken(number, need)
        case .cancelTokenFetch: attempt?.cancel()
        case .connect(let number, let token): connect(number, token)
        case .serve(let number, let connection, let renewalAt): serve(number, connection, renewalAt)
        case .disconnect(let number, let code): disconnect(number, code)
        case .sleep(let number, let until): sleep(number, until)
        case .renew(let number, let need): renew(number, need)
        case .push(let number, let token, let renewalAt): push(number, token, renewalAt)
        case .probe(let number): probe(number)
        }
    }

    /// Publishes the machine's state, and fails the waiters of a closed socket.
    private func publishState() {
        guard machine.state != publishedState else { return }
        let hadEnded = publishedState.end != nil
        publishedState = machine.state
        broadcaster.sendIfChanged(machine.socketState(now: clock.now()))
        if case .waiting = machine.state {} else { reconnectTimer?.cancel() }
        if !configuration.sendsWaitForConnection, link == nil || machine.isEnding { refuseSends(.notConnected) }
        guard let end = machine.state.end, !hadEnded else { return }
        refuseSends(.closed(end))
        finishReading(end)
    }

    private func refuseSends(_ error: SocketError) {
        for waiter in queue.clear() { waiter.resume(returning: .failure(error)) }
    }

    private func fetchToken(_ number: Int, _ need: SocketTokenRequirement) {
        attempt = Task { [parts] in
            do throws(SessionError) {
                tokenReceived(number, try await parts.tokens.token(for: need))
            } catch {
                tokenFailed(number, error)
            }
        }
    }

    private func tokenReceived(_ number: Int, _ token: SocketToken?) {
        act(machine.tokenReceived(number, token, now: clock.now(), chance: clock.chance()))
    }

    private func tokenFailed(_ number: Int, _ error: SessionError) {
        let session = parts.tokens.published.status.state
        act(machine.tokenFailed(number, error, session: session, now: clock.now(), chance: clock.chance()))
    }

    private func connect(_ number: Int, _ token: SocketToken) {
        attempt = Task { [parts] in
            await parts.semaphore.acquire()
            do {
                try Task.checkCancellation()
                let connection = try await parts.connect(with: token)
                await connected(number, connection)
            } catch {
                await parts.semaphore.release()
                let failure = parts.failure(error, hiding: token)
                if machine.isEnding {
                    act(machine.disconnected(number, now: clock.now()))
                } else {
                    act(machine.ended(number, failure, now: clock.now(), chance: clock.chance()))
                }
            }
        }
    }

    private func connected(_ number: Int, _ connection: any WebSocketConnection) async {
        sessionChanged()
        let action = machine.connected(number, now: clock.now())
        // The attempt was cancelled in the meantime.
        guard case .serve = action else { return await drop(number, connection, code: 1000) }
        parts.tokens.published.acceptance.signal()
        link = (number, connection)
        act(action)
        // A token received during the handshake has to be pushed.
        sessionChanged()
    }

    private func serve(_ number: Int, _ count: Int, _ renewalAt: Duration?) {
        guard let link else { return }
        lastReceivedAt = clock.now()
        read(number, link.connection, count)
        keepPinging(number, link.connection)
        setRenewal(number, renewalAt)
        write()
    }

    private func disconnect(_ number: Int, _ code: Int) {
        renewal?.cancel()
        pinging?.cancel()
        guard let link, link.number == number else {
            // The handshake is in progress, and its task reports when it has ended.
            attempt?.cancel()
            return
        }
        self.link = nil
        queue.dropPushes()
        Task { await drop(number, link.connection, code: code) }
    }

    /// Closes a connection, and reports when it is closed.
    private func drop(_ number: Int, _ connection: any WebSocketConnection, code: Int) async {
        await parts.close(connection, code: code)
        queue.interrupt(on: number)?.resume(returning: .failure(.interrupted))
        await parts.semaphore.release()
        act(machine.disconnected(number, now: clock.now()))
    }

    /// Reports a connection that ended, or is unusable.
    func lost(_ number: Int, _ failure: SocketFailure) {
        act(machine.ended(number, failure, now: clock.now(), chance: clock.chance()))
    }

    private func sleep(_ number: Int, _ until: Duration?) {
        reconnectTimer?.cancel()
        guard let until else { return }
        reconnectTimer = Task { [clock] in
            guard (try? await clock.sleep(until: until, for: .pause("before a socket reconnects"))) != nil else {
                return
            }
            act(machine.wake(number, now: clock.now()))
        }
    }

    // MARK: Renewal

    private func setRenewal(_ number: Int, _ at: Duration?) {
        renewal?.cancel()
        guard let at else { return }
        renewal = Task { [clock] in
            guard (try? await clock.sleep(until: at, for: .schedule("of a socket's next token"))) != nil else { return }
            act(machine.renewalDue(number))
        }
    }

    private func renew(_ number: Int, _ need: SocketTokenRequirement) {
        Task { [parts] in
            let token = try? await parts.tokens.token(for: need)
            act(machine.renewed(number, token))
        }
    }

    private func push(_ number: Int, _ token: SocketToken, _ renewalAt: Duration?) {
        setRenewal(number, renewalAt)
        guard let message = parts.request.renewal(with: token.token) else { return }
        queue.push(message)
        write()
    }
}

extension SessionState {
    fileprivate var isOver: Bool {
        switch self {
        case .signedOut, .ending: true
        case .unknown, .recordUnusable, .active, .refreshing, .offline: false
        }
    }
}

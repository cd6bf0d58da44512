// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetWire

/// Drives the state machine: reads the store, asks it to decide, acts, and answers callers.
///
/// Isolation guards the machine and the store's record. Between a decision and its record there is no `await`: the store
/// is synchronous, so "new tokens" and "saved" are one step that no sign-out can come between.
actor SessionDriver {
    typealias Waiter = CheckedContinuation<Result<AccessToken?, SessionError>, Never>

    var machine: SessionStateMachine<Waiter>
    nonisolated let store: any SessionStore
    nonisolated let endpoint: TokenEndpoint
    nonisolated let origin: String
    nonisolated let published: PublishedSession
    nonisolated let assertion: BackgroundAssertion?
    nonisolated let latestPhase = Locked(SessionPhase.unattended)
    nonisolated let networkTask = Locked<Task<Void, Never>?>(nil)
    var clock: SessionClock { endpoint.clock }
    var logoutCredentials: LogoutCredentials { endpoint.contract.logoutCredentials }

    private var lastWaiterID = 0
    /// Whether the record that was read last has pending logouts.
    private var recordHasPendingLogout = false
    /// Whether the server has yet to be told of a logout.
    var hasPendingLogout: Bool { recordHasPendingLogout || !unrecordedLogouts.isEmpty }
    /// The last tokens of this device, sent with the next sign-in so that the server recognises the device.
    ///
    /// Only as long as this process lives; a store that was signed out of keeps nothing.
    private(set) var lastKnownTokens = TokenPair(refreshToken: nil, accessToken: nil)
    /// When the token held is due; drawn once per token, so that jitter does not wander.
    private(set) var due: (token: TimedAccessToken, at: Duration)?
    /// When a store that gave no answer is asked again, and how often it gave none.
    private(set) var nextStoreRead = Duration.zero
    private var failedStoreReads = 0
    /// How many looks into the store began, while no session is held.
    nonisolated let storeReadsStarted = Locked(0)
    /// The refresh under way, for those who watch.
    var trace: RefreshTrace?
    var foregroundRefresh = ForegroundRefreshPolicy()
    /// When the session wakes up by itself, and the timer for it.
    var wakeTime: Duration?
    var wakeTask: Task<Void, Never>?
    /// The pause between two attempts.
    var retryPause: (refresh: Int, end: Duration, task: Task<Void, Never>)?
    var waiterTimeoutTask: Task<Void, Never>?
    var savingTask: Task<Void, Never>?
    /// The newest confirmation under way.
    var confirmTask: Task<Void, Never>?
    /// Sign-outs that the server is being told of.
    var deliveries: [PendingLogout: Task<Bool, Never>] = [:]
    var logoutTask: Task<Void, Never>?
    var lateAttempts: [Int: LateAttempt] = [:]
    var lastLateAttempt = 0
    /// Pending logouts that are not in the store yet.
    var unrecordedLogouts: [PendingLogout] = []

    init(
        machine: SessionStateMachine<Waiter>,
        store: any SessionStore,
        endpoint: TokenEndpoint,
        origin: String,
        published: PublishedSession,
        assertion: BackgroundAssertion? = nil
    ) {
        var machine = machine
        let first = Self.read(store, origin: origin)
        machine.loaded(first, at: endpoint.clock.snapshot)
        let live = machine.currentSession?.token
        let due = live.map { ($0, machine.schedule.refreshTime(of: $0, chance: endpoint.clock.chance())) }
        published.publish(
            Self.status(of: machine, hasPendingLogout: Self.owes(first), store: store.name),
            token: live,
            refreshAt: due?.1 ?? .zero
        )
        recordHasPendingLogout = Self.owes(first)
        self.due = due
        self.machine = machine
        lastKnownTokens = Self.tokens(of: machine)
        self.store = store
        self.endpoint = endpoint
        self.origin = origin
        self.published = published
        self.assertion = assertion
    }

    deinit {
        wakeTask?.cancel()
        networkTask.withLock { $0?.cancel() }
    }

    // MARK: Callers

    /// Returns a token that serves the need.
    ///
    /// - Parameters:
    ///   - need: The requirement that the token must meet.
    ///   - isUserInitiated: Whether the app asks, and not a part of the SDK that repeats by itself.
    /// - Returns: `nil` if there is none better than the one a resource refused.
    /// - Throws: ``SessionError`` if there is no token any more, or none for now.
    nonisolated func token(for need: TokenRequirement, isUserInitiated: Bool = true) async throws(SessionError)
        -> AccessToken?
    {
        try await token(for: need, isUserInitiated: isUserInitiated, after: storeReadsStarted.withLock { $0 })
    }

    /// The same for a caller who arrived when so many looks into the store had begun.
    func token(
        for need: TokenRequirement,
        isUserInitiated: Bool = true,
        after reads: Int
    ) async throws(SessionError) -> AccessToken? {
        // A store may take long to answer that it is locked. One look that began after callers arrived is for all of them.
        if reads == storeReadsStarted.withLock({ $0 }) { readStoreIfSignedOut() }
        lastWaiterID += 1
        let id = lastWaiterID
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let action = machine.requestToken(
                    id,
                    waiter,
                    for: need,
                    now: clock.now(),
                    isUserInitiated: isUserInitiated
                )
                switch action {
                case .answer(let answer): waiter.resume(returning: answer.map(Optional.some))
                case .keepRefusal: waiter.resume(returning: .success(nil))
                case .end: waiter.resume(returning: endUnrenewable())
                case .startRefresh(let refresh, _): startRefresh(refresh, need.refreshCause, callers: 1)
                case .wait: join()
                }
            }
        } onCancel: {
            // Isolation serialises this behind the parking of the waiter.
            Task { await self.cancel(id) }
        }
        return try answer.get()
    }

    private func cancel(_ id: Int) {
        machine.cancel(id)?.resume(returning: .failure(.cancelled))
    }

    /// Refreshes a token that is still good.
    func refreshAhead() {
        guard let id = machine.refreshAhead(now: clock.now()) else { return publish() }
        startRefresh(id, .ahead, callers: 0)
    }

    private func startRefresh(_ id: Int, _ cause: RefreshCause, callers: Int) {
        let now = clock.now()
        let remainingLifetime = machine.currentSession.map { $0.token.expiresAt - now } ?? .zero
        trace = RefreshTrace(cause: cause, startedAt: now, remainingLifetime: remainingLifetime, callers: callers)
        publish()
        published.emit(.refreshStarted(cause))
        Task { await refresh(id) }
        scheduleWaiterTimeout()
    }

    private func join() {
        trace?.callers += 1
        published.emit(.joined)
        updateRetryPause()
        scheduleWaiterTimeout()
    }

    /// Callers whose patience ends during an attempt are answered then, and the attempt goes on.
    private func scheduleWaiterTimeout() {
        guard waiterTimeoutTask == nil, let end = machine.nextWaiterDeadline else { return }
        // Weakly, and only while somebody waits: a session that nobody uses any more is not kept for it.
        waiterTimeoutTask = Task { [weak self, clock] in
            do { try await clock.sleep(until: end, for: .limit("of a caller of a refresh")) } catch { return }
            await self?.waiterTimeoutFired()
        }
    }

    private func waiterTimeoutFired() {
        waiterTimeoutTask = nil
        complete(machine.expireWaiters(now: clock.now()))
        scheduleWaiterTimeout()
    }

    /// The tokens of the session that is signed in.
    private var currentTokens: TokenPair { Self.tokens(of: machine) }

    /// The tokens of one session.
    ///
    /// - Throws: ``SessionError/signedOut(_:)`` if it is no longer the one that is signed in.
    func currentTokens(of id: String) throws(SessionError) -> TokenPair {
        guard machine.currentSession?.session.id == id else { throw .signedOut(.replaced) }
        return currentTokens
    }

    private static func tokens(of machine: SessionStateMachine<Waiter>) -> TokenPair {
        let session = machine.currentSession?.session
        return TokenPair(refreshToken: session?.refreshToken, accessToken: session?.accessToken)
    }

    // MARK: Acting

    func complete(_ completion: WaiterCompletion<Waiter>?) {
        guard let completion else { return }
        publish()
        for waiter in completion.waiters { waiter.resume(returning: completion.answer.map(Optional.some)) }
        if machine.nextWaiterDeadline == nil {
            waiterTimeoutTask?.cancel()
            waiterTimeoutTask = nil
        }
    }

    /// Shows the machine's state to everybody who reads without waiting.
    func publish() {
        let live = machine.currentSession?.token
        if let live, due?.token != live {
            lastKnownTokens = currentTokens
            due = (live, machine.schedule.refreshTime(of: live, chance: clock.chance()))
        }
        let canRenew = machine.currentSession.map { machine.renewal.canRenew($0.session) } ?? false
        let isIdle = if case .signedIn = machine.state { true } else { false }
        published.publish(
            Self.status(of: machine, hasPendingLogout: hasPendingLogout, store: store.name),
            token: live,
            refreshAt: isIdle && canRenew
                ? max(due?.at ?? .zero, machine.earliestRefreshAhead) : live?.expiresAt ?? .zero
        )
        scheduleTimer()
    }

    private static func status(
        of machine: SessionStateMachine<Waiter>,
        hasPendingLogout: Bool,
        store: String
    ) -> SessionStatus {
        let currentSession = machine.currentSession
        let fault: SessionStoreError? = if case .unknown(let fault) = machine.state { fault } else { nil }
        return SessionStatus(
            state: machine.sessionState,
            sessionID: currentSession?.session.id,
            userID: currentSession?.session.userID,
            email: currentSession?.session.email,
            generation: currentSession?.session.generation,
            accessTokenExpiresAt: currentSession?.token.token.expiresAt,
            sessionExpiresAt: currentSession?.session.endsAt.map(Date.init(timeIntervalSince1970:)),
            isRenewable: currentSession.map { machine.renewal.canRenew($0.session) } ?? true,
            isSaved: currentSession?.isSaved ?? (machine.pendingSignOut == nil),
            hasPendingLogout: hasPendingLogout,
            store: store,
            storeFault: fault
        )
    }

    // MARK: The store

    /// Reads the record from the store.
    ///
    /// A record of another server is none of ours, and none of its tokens may go to this one.
    func readStore() -> Result<SessionRecord?, SessionStoreError> {
        let found = Self.read(store, origin: origin)
        if case .success = found { recordHasPendingLogout = Self.owes(found) }
        return found
    }

    private static func read(
        _ store: any SessionStore,
        origin: String
    ) -> Result<SessionRecord?, SessionStoreError> {
        let record: SessionRecord?
        do throws(SessionStoreError) { record = try store.read() } catch { return .failure(error) }
        guard let record, record.session != nil, record.origin != origin else { return .success(record) }
        return .failure(SessionStoreError(.foreign, "the stored session belongs to \(record.origin)"))
    }

    private static func owes(_ record: Result<SessionRecord?, SessionStoreError>) -> Bool {
        (try? record.get())?.pendingLogouts.isEmpty == false
    }

    /// Reads the store if nobody is known to be signed in: another process may have signed in, or a lock be gone.
    func readStoreIfSignedOut() {
        guard machine.currentSession == nil else { return }
        storeReadsStarted.withLock { $0 += 1 }
        recordPendingSignOut()
        machine.loaded(readStore(), at: clock.snapshot)
        if case .unknown = machine.state {
            failedStoreReads += 1
            let pause = machine.backoff.delay(afterFailures: failedStoreReads, retryAfter: nil, chance: clock.chance())
            nextStoreRead = clock.now() + pause
        } else {
            failedStoreReads = 0
        }
        publish()
        if machine.currentSession != nil {
            published.emit(.signedIn(.found))
            publishToken()
        }
    }
}

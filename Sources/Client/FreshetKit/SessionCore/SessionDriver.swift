// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetWire

/// Drives the state machine: reads the store, passes events to the machine, performs its actions, and resumes callers.
///
/// Isolation guards the machine and the store's record. There is no `await` between a decision and its record: the
/// store is synchronous, so no sign-out can occur between the receipt of new tokens and their storage.
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
    /// Whether the last record read has pending logouts.
    private var recordHasPendingLogout = false
    /// Whether a logout is not yet delivered to the server.
    var hasPendingLogout: Bool { recordHasPendingLogout || !unrecordedLogouts.isEmpty }
    /// The last tokens of this device, sent with the next sign-in so that the server recognises the device.
    ///
    /// They are kept in memory only; after a sign-out, the store does not keep them.
    private(set) var lastKnownTokens = TokenPair(refreshToken: nil, accessToken: nil)
    /// The time at which the current token is due.
    ///
    /// It is computed once per token, so that its jitter stays constant.
    private(set) var due: (token: TimedAccessToken, at: Duration)?
    /// The time at which a store that could not be read is read again.
    private(set) var nextStoreRead = Duration.zero
    private var failedStoreReads = 0
    /// The number of store reads that were started while no user was signed in.
    nonisolated let storeReadsStarted = Locked(0)
    /// The refresh in progress, for events.
    var trace: RefreshTrace?
    var foregroundRefresh = ForegroundRefreshPolicy()
    /// The time of the session's next scheduled action.
    var wakeTime: Duration?
    var wakeTask: Task<Void, Never>?
    /// The pause between two attempts.
    var retryPause: (refresh: Int, end: Duration, task: Task<Void, Never>)?
    var waiterTimeoutTask: Task<Void, Never>?
    var savingTask: Task<Void, Never>?
    /// The newest confirmation in progress.
    var confirmTask: Task<Void, Never>?
    /// The deliveries of sign-outs to the server that are in progress.
    var deliveries: [PendingLogout: Task<Bool, Never>] = [:]
    var logoutTask: Task<Void, Never>?
    var lateAttempts: [Int: LateAttempt] = [:]
    var lastLateAttempt = 0
    /// The pending logouts that are not in the store yet.
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
        networkTask.withLock { $0 }?.cancel()
    }

    // MARK: Callers

    /// Returns a token that meets the requirement.
    ///
    /// - Parameters:
    ///   - need: The requirement that the token must meet.
    ///   - isUserInitiated: Whether the app requests it, and not an automatic part of the SDK.
    /// - Returns: The token; `nil` if no token is newer than the one that a resource refused.
    /// - Throws: ``SessionError`` if the session has ended, or no token is available now.
    nonisolated func token(for need: TokenRequirement, isUserInitiated: Bool = true) async throws(SessionError)
        -> AccessToken?
    {
        try await token(for: need, isUserInitiated: isUserInitiated, after: storeReadsStarted.withLock { $0 })
    }

    /// Returns a token for a caller that arrived when `reads` store reads had been started.
    func token(
        for need: TokenRequirement,
        isUserInitiated: Bool = true,
        after reads: Int
    ) async throws(SessionError) -> AccessToken? {
        // A store may take long to report that it is locked. One read that started after several callers arrived serves
        // all of them.
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
                case .startRefresh(let refresh, _): startRefresh(refresh, need.refreshCause)
                case .wait: join()
                }
            }
        } onCancel: {
            // The actor runs this after the waiter was stored.
            Task { await self.cancel(id) }
        }
        return try answer.get()
    }

    private func cancel(_ id: Int) {
        machine.cancel(id)?.resume(returning: .failure(.cancelled))
    }

    /// Refreshes a token that is still valid.
    func refreshAhead() {
        guard let id = machine.refreshAhead(now: clock.now()) else { return publish() }
        startRefresh(id, .ahead)
    }

    private func startRefresh(_ id: Int, _ cause: RefreshCause) {
        let now = clock.now()
        let remainingLifetime = machine.currentSession.map { $0.token.expiresAt - now } ?? .zero
        trace = RefreshTrace(cause: cause, startedAt: now, remainingLifetime: remainingLifetime)
        publish()
        published.emit(.refreshStarted(cause))
        Task { await refresh(id) }
        scheduleWaiterTimeout()
    }

    private func join() {
        published.emit(.joined)
        updateRetryPause()
        scheduleWaiterTimeout()
    }

    /// Schedules the resumption of callers whose timeout ends during an attempt; the attempt continues.
    private func scheduleWaiterTimeout() {
        guard waiterTimeoutTask == nil, let end = machine.nextWaiterDeadline else { return }
        // The reference is weak, and the task runs only while callers wait, so that it does not retain an unused
        // session.
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

    /// The tokens of the current session.
    private var currentTokens: TokenPair { Self.tokens(of: machine) }

    /// Returns the tokens of one session.
    ///
    /// - Throws: ``SessionError/signedOut(_:)`` if it is no longer the current session.
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
        // The record was set back during a refresh that has failed.
        if case .signedIn(let session) = machine.state, !session.isSaved { keepSaving() }
        for waiter in completion.waiters { waiter.resume(returning: completion.answer.map(Optional.some)) }
        if machine.nextWaiterDeadline == nil {
            waiterTimeoutTask?.cancel()
            waiterTimeoutTask = nil
        }
    }

    /// Publishes the machine's state to synchronous readers.
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
    /// A record of another server counts as unusable, because its tokens must not be sent to this server.
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

    /// Reads the store if no user is signed in: another process may have signed in, or the store may have been
    /// unlocked.
    func readStoreIfSignedOut() {
        guard machine.currentSession == nil else { return }
        storeReadsStarted.withLock { $0 += 1 }
        recordPendingSignOut()
        let wasUnknown = if case .unknown = machine.state { true } else { false }
        machine.loaded(readStore(), at: clock.snapshot)
        if case .unknown = machine.state {
            failedStoreReads += 1
            let pause = machine.backoff.delay(afterFailures: failedStoreReads, retryAfter: nil, chance: clock.chance())
            nextStoreRead = clock.now() + pause
        } else {
            failedStoreReads = 0
            // The record may have sign-outs of an earlier process.
            if wasUnknown, hasPendingLogout { deliverLogouts() }
        }
        publish()
        if machine.currentSession != nil {
            published.emit(.signedIn(.found))
            publishToken()
        }
    }
}

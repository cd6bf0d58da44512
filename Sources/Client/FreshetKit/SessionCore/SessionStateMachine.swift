// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Decides what the session does next.
///
/// It never waits, reads a clock or performs I/O: it takes an event and returns what is to be done. Data lives in the
/// state it belongs to. Every refresh and every sign-in has a number, and an end that names an overtaken number has no
/// effect.
struct SessionStateMachine<Waiter> {
    typealias WaiterID = Int
    typealias RefreshID = Int
    typealias SignInID = Int
    typealias Answer = Result<AccessToken, SessionError>

    enum State {
        /// The store gave no answer. Goes to any other state once it does.
        case unknown(SessionStoreError)
        /// Signed out. Goes to `signedIn` by a sign-in, here or in another process.
        case signedOut(SignOutReason?)
        /// Goes to `refreshing` when a token is wanted and not good, and to `signedOut`.
        case signedIn(CurrentSession)
        /// Goes back to `signedIn` with an answer, or without one when nobody waits any more; and to `signedOut`.
        case refreshing(CurrentSession, RefreshInFlight<Waiter>)
    }

    var state: State
    let schedule: RefreshSchedule
    let renewal: Renewal
    let patience: Duration
    let backoff: RetryBackoff

    private var lastNumber = 0
    /// The newest sign-in that succeeded, or sign-out; a sign-in that began before it counts for nothing.
    private var lastSignInOrOut: SignInID = 0
    private var signInsUnderWay: Set<SignInID> = []
    /// The sessions that sign-ins have stored while others were under way, and the newest number at that time.
    private var concurrentSignIns: [(session: StoredSession, newest: SignInID)] = []
    /// When the next refresh may begin after failures.
    var retry = RetryState()
    /// A sign-out that could not be recorded: what the store still has must not come back to life.
    var pendingSignOut: PendingSignOut?

    struct PendingSignOut: Equatable {
        /// `nil` stands for whatever is stored.
        var session: StoredSession?
        var reason: SignOutReason
    }

    init(schedule: RefreshSchedule, renewal: Renewal = .confirmed, patience: Duration, backoff: RetryBackoff) {
        state = .unknown(SessionStoreError(.locked, "it has not been read yet"))
        self.schedule = schedule
        self.renewal = renewal
        self.patience = patience.bounded
        self.backoff = backoff
    }

    /// The session held, if any.
    var currentSession: CurrentSession? {
        switch state {
        case .signedIn(let currentSession), .refreshing(let currentSession, _): currentSession
        case .unknown, .signedOut: nil
        }
    }

    /// Before this a refresh ahead of time does not begin.
    var earliestRefreshAhead: Duration { retry.nextBackgroundAttempt }

    /// The state as the app sees it.
    var sessionState: SessionState {
        switch state {
        case .unknown(let fault): fault.needsSignIn ? .recordUnusable(fault) : .unknown
        case .signedOut(let reason): .signedOut(reason)
        case .signedIn: retry.failures > 0 ? .offline : .active
        case .refreshing(_, let flight): flight.isPausing ? .offline : .refreshing
        }
    }

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Leaves the current session, if there is one, for `state`.
    ///
    /// - Returns: The callers that waited for a token of the session that was left.
    mutating func transition(to state: State, answer: Answer) -> WaiterCompletion<Waiter> {
        let waiters = if case .refreshing(_, let flight) = self.state { flight.allWaiters } else { [Waiter]() }
        self.state = state
        retry = RetryState()
        return WaiterCompletion(waiters: waiters, answer: answer)
    }

    // MARK: Sign-in and sign-out

    /// A sign-in begins; it overtakes others that are under way once it succeeds, and not before.
    mutating func beginSignIn() -> SignInID {
        let id = nextNumber()
        signInsUnderWay.insert(id)
        return id
    }

    /// A sign-in has succeeded or failed.
    mutating func endSignIn(_ id: SignInID) {
        signInsUnderWay.remove(id)
        concurrentSignIns.removeAll { stored in !signInsUnderWay.contains { $0 <= stored.newest } }
    }

    /// The session that another sign-in has stored since `signIn` began, if it is the same as `session`.
    func stored(_ session: StoredSession, concurrentWith signIn: SignInID) -> StoredSession? {
        concurrentSignIns.first { signIn <= $0.newest && $0.session.isSameSession(as: session) }?.session
    }

    /// Whether a sign-in is under way that may bring a token back into use which is owed a logout.
    var signInMayReviveToken: Bool { signInsUnderWay.contains { isCurrent($0) } }

    /// Whether no sign-out, and no later sign-in that succeeded, overtook this one.
    func isCurrent(_ signIn: SignInID) -> Bool { signIn > lastSignInOrOut }

    /// A sign-in is durable.
    mutating func signedIn(_ id: SignInID, _ currentSession: CurrentSession) -> WaiterCompletion<Waiter> {
        lastSignInOrOut = id
        pendingSignOut = nil
        concurrentSignIns.append((currentSession.session, lastNumber))
        if let held = self.currentSession, held.session.id == currentSession.session.id {
            // The same session again: a refresh under way goes on, and keeps what it will bring.
            if currentSession.session.generation > held.session.generation || !held.isSaved {
                update { $0 = currentSession }
            }
            return WaiterCompletion(waiters: [], answer: .success(currentSession.token.token))
        }
        return transition(to: .signedIn(currentSession), answer: .failure(.signedOut(.replaced)))
    }

    /// Records a sign-out, after which no operation under way may restore a session.
    mutating func signOut() -> WaiterCompletion<Waiter> {
        lastSignInOrOut = nextNumber()
        return transition(to: .signedOut(.requested), answer: .failure(.signedOut(.requested)))
    }

    // MARK: The store's answers

    /// The store was read while nobody was known to be signed in.
    mutating func loaded(_ record: Result<SessionRecord?, SessionStoreError>, at moment: ClockSnapshot) {
        switch (state, record) {
        case (.refreshing, _), (.signedIn, _): break
        case (_, .success(let record)):
            guard let session = record?.session else {
                if case .signedOut(let reason) = state, record == nil {
                    state = .signedOut(reason)
                } else {
                    state = .signedOut(record?.ended)
                }
                break
            }
            guard pendingSignOut == nil else { break }
            state = .signedIn(
                CurrentSession(session: session, token: TimedAccessToken(session, at: moment), isSaved: true)
            )
        case (.unknown, .failure(let fault)): state = .unknown(fault)
        case (.signedOut, .failure): break
        }
    }

    /// The store was read while somebody is signed in: another process may have gone further, or signed out.
    ///
    /// - Returns: `nil` if there is nothing new. A refresh under way reads the store by itself.
    mutating func reread(
        _ record: Result<SessionRecord?, SessionStoreError>,
        at moment: ClockSnapshot
    ) -> WaiterCompletion<Waiter>? {
        guard case .signedIn(let currentSession) = state, case .success(let record) = record else { return nil }
        switch currentSession.comparison(with: record) {
        case .gone, .other: return adopt(record, at: moment)
        case .newer(let session):
            state = .signedIn(
                CurrentSession(session: session, token: TimedAccessToken(session, at: moment), isSaved: true)
            )
            retry.succeed()
            return nil
        case .same, .older: return nil
        }
    }

    /// Changes what is held, in whatever state.
    mutating func update(_ change: (inout CurrentSession) -> Void) {
        switch state {
        case .signedIn(var currentSession):
            change(&currentSession)
            state = .signedIn(currentSession)
        case .refreshing(var currentSession, let flight):
            change(&currentSession)
            state = .refreshing(currentSession, flight)
        case .unknown, .signedOut: break
        }
    }
}

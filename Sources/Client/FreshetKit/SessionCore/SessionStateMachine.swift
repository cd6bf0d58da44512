// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Decides what the session does next.
///
/// It never waits, reads a clock or performs I/O: it takes an event and returns an action. Data is stored in the state
/// that it belongs to. Every refresh and every sign-in has a number, and an event with an obsolete number has no
/// effect.
struct SessionStateMachine<Waiter> {
    typealias WaiterID = Int
    typealias RefreshID = Int
    typealias SignInID = Int
    typealias Answer = Result<AccessToken, SessionError>

    enum State {
        /// The store could not be read. Goes to any other state once it can.
        case unknown(SessionStoreError)
        /// Signed out. Goes to `signedIn` by a sign-in of this or another process.
        case signedOut(SignOutReason?)
        /// Goes to `refreshing` when a caller needs a newer token, and to `signedOut`.
        case signedIn(CurrentSession)
        /// Goes back to `signedIn` with a result, or when no caller waits any longer; and to `signedOut`.
        case refreshing(CurrentSession, RefreshInFlight<Waiter>)
    }

    var state: State
    let schedule: RefreshSchedule
    let renewal: Renewal
    let callerTimeout: Duration
    let backoff: RetryBackoff

    private var lastNumber = 0
    /// The newest sign-in or sign-out that succeeded; a sign-in that began before it has no effect.
    private var lastSignInOrOut: SignInID = 0
    private var signInsUnderWay: Set<SignInID> = []
    /// The sessions that were stored while other sign-ins were in progress, and the newest sign-in number at that time.
    private var concurrentSignIns: [(session: StoredSession, newest: SignInID)] = []
    /// The time of the next refresh after failures.
    var retry = RetryState()
    /// A sign-out that could not be stored: the session that is still stored must not be used again.
    var pendingSignOut: PendingSignOut?

    struct PendingSignOut: Equatable {
        /// The session that signed out; `nil` for any stored session.
        var session: StoredSession?
        var reason: SignOutReason
        /// The time of the sign-out; a session of a later sign-in is kept.
        var time: ClockSnapshot

        /// Whether the sign-out ends a stored session.
        func ends(_ stored: StoredSession) -> Bool {
            // A later sign-in may also have returned the same session.
            guard !stored.wasSignedIn(after: time) else { return false }
            return session.map { $0.id == stored.id } ?? true
        }
    }

    init(schedule: RefreshSchedule, renewal: Renewal = .confirmed, callerTimeout: Duration, backoff: RetryBackoff) {
        state = .unknown(SessionStoreError(.locked, "it has not been read yet"))
        self.schedule = schedule
        self.renewal = renewal
        self.callerTimeout = callerTimeout.bounded
        self.backoff = backoff
    }

    /// The current session, if any.
    var currentSession: CurrentSession? {
        switch state {
        case .signedIn(let currentSession), .refreshing(let currentSession, _): currentSession
        case .unknown, .signedOut: nil
        }
    }

    /// The earliest time of a refresh ahead of expiry.
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

    /// Ends the current session, if there is one, and enters `state`.
    ///
    /// - Returns: The callers that waited for a token of that session.
    mutating func transition(to state: State, answer: Answer) -> WaiterCompletion<Waiter> {
        let waiters = if case .refreshing(_, let flight) = self.state { flight.allWaiters } else { [Waiter]() }
        self.state = state
        retry = RetryState()
        return WaiterCompletion(waiters: waiters, answer: answer)
    }

    // MARK: Sign-in and sign-out

    /// Begins a sign-in; if it succeeds, it overtakes other sign-ins in progress.
    mutating func beginSignIn() -> SignInID {
        let id = nextNumber()
        signInsUnderWay.insert(id)
        return id
    }

    /// Ends a sign-in, whether or not it succeeded.
    mutating func endSignIn(_ id: SignInID) {
        signInsUnderWay.remove(id)
        concurrentSignIns.removeAll { stored in !signInsUnderWay.contains { $0 <= stored.newest } }
    }

    /// Returns the session that another sign-in has stored since `signIn` began, if it is the same as `session`.
    func stored(_ session: StoredSession, concurrentWith signIn: SignInID) -> StoredSession? {
        concurrentSignIns.first { signIn <= $0.newest && $0.session.isSameSession(as: session) }?.session
    }

    /// Whether a sign-in is in progress that may return a token with a pending logout.
    var signInMayReviveToken: Bool { signInsUnderWay.contains { isCurrent($0) } }

    /// Whether neither a sign-out nor a later successful sign-in overtook this one.
    func isCurrent(_ signIn: SignInID) -> Bool { signIn > lastSignInOrOut }

    /// Enters the session of a sign-in, which has been stored.
    mutating func signedIn(_ id: SignInID, _ currentSession: CurrentSession) -> WaiterCompletion<Waiter> {
        lastSignInOrOut = id
        pendingSignOut = nil
        concurrentSignIns.append((currentSession.session, lastNumber))
        if let held = self.currentSession, held.session.id == currentSession.session.id {
            // The session is the same: a refresh in progress continues, and its result is used.
            if currentSession.session.generation > held.session.generation || !held.isSaved {
                update { $0 = currentSession }
            }
            return WaiterCompletion(waiters: [], answer: .success(currentSession.token.token))
        }
        return transition(to: .signedIn(currentSession), answer: .failure(.signedOut(.replaced)))
    }

    /// Records a sign-out, after which no operation in progress may restore a session.
    mutating func signOut() -> WaiterCompletion<Waiter> {
        lastSignInOrOut = nextNumber()
        return transition(to: .signedOut(.requested), answer: .failure(.signedOut(.requested)))
    }

    // MARK: The store's answers

    /// Handles a read of the store while no user was known to be signed in.
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

    /// Handles a read of the store while a user is signed in: another process may have refreshed or signed out.
    ///
    /// During a refresh only a sign-out and another sign-in are adopted. The refresh reads newer tokens itself, but after
    /// a failure it reads nothing, and the app would see the previous user until its next call.
    ///
    /// - Returns: `nil` if no caller waits for the change.
    mutating func reread(
        _ record: Result<SessionRecord?, SessionStoreError>,
        at moment: ClockSnapshot
    ) -> WaiterCompletion<Waiter>? {
        guard let currentSession, case .success(let record) = record else { return nil }
        switch currentSession.comparison(with: record) {
        case .gone, .other: return adopt(record, at: moment)
        case .newer(let session):
            guard case .signedIn = state else { return nil }
            state = .signedIn(
                CurrentSession(session: session, token: TimedAccessToken(session, at: moment), isSaved: true)
            )
            retry.succeed()
            return nil
        case .same, .older: return nil
        }
    }

    /// Changes the current session, in whatever state it is.
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

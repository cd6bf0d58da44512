// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A snapshot of the session for readers outside the driver: its token, status and stream of states.
///
/// The lock guards three plain values; nothing but reading and replacing them happens under it.
final class PublishedSession: Sendable {
    private struct Content {
        var status: SessionStatus
        var token: TimedAccessToken?
        /// From when on the token should be refreshed ahead of its end.
        var refreshAt = Duration.zero
    }

    private let content: Locked<Content>
    private let stateBroadcaster = Broadcaster(state: SessionState.unknown, bufferSize: 64)
    /// Notifies tasks that read everything again whenever something was published.
    private let changeBroadcaster = Broadcaster<Void>(bufferSize: 1)
    let hub: EventHub
    let acceptance = TokenAcceptance()

    init(store: String, clock: SessionClock) {
        content = Locked(
            Content(status: SessionStatus(state: .unknown, isSaved: true, hasPendingLogout: false, store: store))
        )
        hub = EventHub(.unknown, clock: clock)
    }

    /// Status and token of one moment.
    var current: (status: SessionStatus, token: TimedAccessToken?) { content.withLock { ($0.status, $0.token) } }

    var status: SessionStatus { content.withLock { $0.status } }

    /// A token that is good now.
    ///
    /// - Returns: With `isDue` once per token and due time, for one caller to start the refresh that nobody waits for.
    func validToken(at now: Duration) -> (token: AccessToken, isDue: Bool)? {
        content.withLock { content in
            guard let live = content.token, live.isValid(at: now) else { return nil }
            let isDue = now >= content.refreshAt
            if isDue { content.refreshAt = live.expiresAt }
            return (live.token, isDue)
        }
    }

    /// Whose token this is, if it is the current one.
    func status(with token: AccessToken) -> SessionStatus? {
        content.withLock { $0.token?.token == token ? $0.status : nil }
    }

    func publish(_ status: SessionStatus, token: TimedAccessToken?, refreshAt: Duration) {
        let before: SessionStatus? = content.withLock { content in
            let before = content.status
            content.status = status
            content.token = token
            content.refreshAt = refreshAt
            changeBroadcaster.send(())
            // Another account may be signed in without a moment in between, and a session's user become known.
            guard
                before.state != status.state || before.sessionID != status.sessionID || before.userID != status.userID
            else { return nil }
            stateBroadcaster.send(status.state)
            return before
        }
        guard let before else { return }
        if let id = status.sessionID, before.sessionID == id, before.userID == nil, status.userID != nil {
            hub.emit(.userIdentified, sessionID: id, generation: status.generation)
        }
        guard before.state != status.state || before.sessionID != status.sessionID else { return }
        // The session that ended is the one that the event is about.
        let (id, generation) =
            status.sessionID.map { ($0, status.generation) } ?? (before.sessionID, before.generation)
        hub.emit(.stateChanged(status.state), sessionID: id, generation: generation)
    }

    /// Tells of something that happened to the session that is shown now.
    func emit(_ kind: SessionEvent.Kind) {
        let status = status
        hub.emit(kind, sessionID: status.sessionID, generation: status.generation)
    }

    /// No token is handed out any more; a sign-out is under way.
    func end() {
        var status = status
        status.state = .ending
        publish(status, token: nil, refreshAt: .zero)
    }

    /// The current state, then every further one; a listener that is slow misses the oldest.
    func states() -> AsyncStream<SessionState> { stateBroadcaster.stream() }

    /// Says whenever something was published, be it the same state; several times may count as one.
    func changes() -> AsyncStream<Void> { changeBroadcaster.stream() }
}

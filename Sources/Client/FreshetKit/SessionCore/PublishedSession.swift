// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetWire

/// A snapshot of the session for readers outside the driver: its token, status and stream of states.
///
/// The lock guards three plain values, and is held only while they are read or replaced. States are posted under it, so
/// that they have the order of the publications, and delivered after it.
final class PublishedSession: Sendable {
    private struct Content {
        var status: SessionStatus
        var token: TimedAccessToken?
        /// The time from which the token should be refreshed ahead of its expiry.
        var refreshAt = Duration.zero
    }

    private let content: Locked<Content>
    private let stateBroadcaster = Broadcaster(state: SessionState.unknown, bufferSize: 64)
    /// Notifies tasks after each publication, so that they read all values again.
    private let changeBroadcaster = Broadcaster<Void>(bufferSize: 1)
    let hub: EventHub
    let acceptance = TokenAcceptance()

    init(store: String, clock: SessionClock) {
        content = Locked(
            Content(status: SessionStatus(state: .unknown, isSaved: true, hasPendingLogout: false, store: store))
        )
        hub = EventHub(.unknown, clock: clock)
    }

    /// The status and the token at one moment.
    var current: (status: SessionStatus, token: TimedAccessToken?) { content.withLock { ($0.status, $0.token) } }

    var status: SessionStatus { content.withLock { $0.status } }

    /// The time from which the token is refreshed ahead of its expiry; `nil` if no refresh is scheduled.
    var scheduledRefresh: Duration? {
        content.withLock { content in
            let isScheduled =
                content.token != nil && content.status.isRenewable && content.status.state != .refreshing
            return isScheduled ? content.refreshAt : nil
        }
    }

    /// Returns a token that is valid now.
    ///
    /// - Returns: The token. `isDue` is `true` once per token and due time, so that one caller starts a refresh ahead
    ///   of expiry and does not wait for it.
    func validToken(at now: Duration) -> (token: AccessToken, isDue: Bool)? {
        content.withLock { content in
            guard let live = content.token, live.isValid(at: now) else { return nil }
            let isDue = now >= content.refreshAt
            if isDue { content.refreshAt = live.expiresAt }
            return (live.token, isDue)
        }
    }

    /// Returns the status of the session that a token belongs to; `nil` if the token is not the current one.
    func status(with token: AccessToken) -> SessionStatus? {
        content.withLock { $0.token?.token == token ? $0.status : nil }
    }

    func publish(_ status: SessionStatus, token: TimedAccessToken?, refreshAt: Duration) {
        let before: SessionStatus? = content.withLock { content in
            let before = content.status
            content.status = status
            content.token = token
            content.refreshAt = refreshAt
            changeBroadcaster.post(())
            // Another account may have been signed in between two publications, and a session's user may have become
            // known.
            guard
                before.state != status.state || before.sessionID != status.sessionID
                    || before.userID.map(ExactText.init) != status.userID.map(ExactText.init)
            else { return nil }
            stateBroadcaster.post(status.state)
            return before
        }
        changeBroadcaster.deliver()
        guard let before else { return }
        stateBroadcaster.deliver()
        if let id = status.sessionID, before.sessionID == id, before.userID == nil, status.userID != nil {
            hub.emit(.userIdentified, sessionID: id, generation: status.generation)
        }
        guard before.state != status.state || before.sessionID != status.sessionID else { return }
        // The event is about the session that ended.
        let (id, generation) =
            status.sessionID.map { ($0, status.generation) } ?? (before.sessionID, before.generation)
        hub.emit(.stateChanged(status.state), sessionID: id, generation: generation)
    }

    /// Emits an event of the published session.
    func emit(_ kind: SessionEvent.Kind) {
        let status = status
        hub.emit(kind, sessionID: status.sessionID, generation: status.generation)
    }

    /// Stops returning tokens, because a sign-out is in progress.
    func end() {
        var status = status
        status.state = .ending
        publish(status, token: nil, refreshAt: .zero)
    }

    /// The current state, followed by each change; a slow reader misses the oldest states.
    func states() -> AsyncStream<SessionState> { stateBroadcaster.stream() }

    /// A stream with an element after each publication, even of an equal state; several publications may be combined.
    func changes() -> AsyncStream<Void> { changeBroadcaster.stream() }
}

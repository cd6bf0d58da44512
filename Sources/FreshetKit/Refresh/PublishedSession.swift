// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// What may be read without waiting for the driver: the current token, the status and the stream of states.
///
/// The lock guards three plain values; nothing but reading and replacing them happens under it.
final class PublishedSession: Sendable {
    private struct Content {
        var status: SessionStatus
        var token: LiveToken?
        /// From when on the token should be refreshed ahead of its end.
        var refreshAt = Duration.zero
        var lastListener = 0
        var listeners: [Int: AsyncStream<SessionState>.Continuation] = [:]
    }

    private let content: Locked<Content>

    init(store: String) {
        content = Locked(
            Content(status: SessionStatus(state: .unknown, isSaved: true, hasPendingLogout: false, store: store))
        )
    }

    deinit {
        content.withLock { content in
            for listener in content.listeners.values { listener.finish() }
        }
    }

    var status: SessionStatus { content.withLock { $0.status } }

    /// A token that is good now.
    ///
    /// - Returns: With `isDue` once per token and due time, for one caller to start the refresh that nobody waits for.
    func goodToken(at now: Duration) -> (token: AccessToken, isDue: Bool)? {
        content.withLock { content in
            guard let live = content.token, live.isGood(at: now) else { return nil }
            let isDue = now >= content.refreshAt
            if isDue { content.refreshAt = live.expiresAt }
            return (live.token, isDue)
        }
    }

    /// Whose token this is, if it is the current one.
    func status(with token: AccessToken) -> SessionStatus? {
        content.withLock { $0.token?.token == token ? $0.status : nil }
    }

    func publish(_ status: SessionStatus, token: LiveToken?, refreshAt: Duration) {
        content.withLock { content in
            // Another account may be signed in without a moment in between.
            let isNews = content.status.state != status.state || content.status.sessionID != status.sessionID
            content.status = status
            content.token = token
            content.refreshAt = refreshAt
            guard isNews else { return }
            for listener in content.listeners.values { listener.yield(status.state) }
        }
    }

    /// No token is handed out any more; a sign-out is under way.
    func end() {
        var status = status
        status.state = .ending
        publish(status, token: nil, refreshAt: .zero)
    }

    /// The current state, then every further one; a listener that is slow misses the oldest.
    func states() -> AsyncStream<SessionState> {
        let (stream, listener) = AsyncStream.makeStream(of: SessionState.self, bufferingPolicy: .bufferingNewest(64))
        let id = content.withLock { content in
            content.lastListener += 1
            content.listeners[content.lastListener] = listener
            listener.yield(content.status.state)
            return content.lastListener
        }
        listener.onTermination = { [weak self] _ in
            self?.content.withLock { content in content.listeners[id] = nil }
        }
        return stream
    }
}

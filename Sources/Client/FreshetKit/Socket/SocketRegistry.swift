// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// The sockets of a session, one per URL.
///
/// The lock guards the table and is never held across a wait.
final class SocketRegistry: Sendable {
    private struct Entry {
        weak var socket: SessionSocket?
        /// Outlives its socket until the connection is closed, which holds it, so that the next socket waits for that.
        weak var semaphore: AsyncSemaphore?

        var isInUse: Bool { socket != nil || semaphore != nil }
    }

    private struct Content {
        var entries: [URL: Entry] = [:]
        var environment = SocketEnvironment()
    }

    private let content = Locked(Content())

    /// The number of URLs in the table, for tests.
    var count: Int { content.withLock { $0.entries.count } }

    /// Returns the socket of a URL.
    ///
    /// - Returns: The existing socket, or else a new one.
    /// - Throws: ``SessionError/misconfigured(_:)`` if the existing one has another configuration.
    func socket(
        _ url: URL,
        _ configuration: SocketConfiguration,
        make: (AsyncSemaphore, SocketEnvironment) -> SessionSocket
    ) throws(SessionError) -> SessionSocket {
        let (socket, isSameConfiguration) = content.withLock { content in
            if let socket = content.entries[url]?.socket { return (socket, socket.configuration == configuration) }
            let semaphore = content.entries[url]?.semaphore ?? AsyncSemaphore()
            let socket = make(semaphore, content.environment)
            // A URL may have a changing query.
            content.entries = content.entries.filter(\.value.isInUse)
            content.entries[url] = Entry(socket: socket, semaphore: semaphore)
            return (socket, true)
        }
        guard isSameConfiguration else {
            throw .misconfigured("this URL's socket is in use with another configuration")
        }
        return socket
    }

    /// Forwards changes of the app's phase and the network to the sockets.
    func follow(_ kind: SessionEvent.Kind) {
        switch kind {
        case .phaseChanged(let phase): wanted.withLock { $0.isSuspended = phase == .background }
        case .networkChanged(let isUp): wanted.withLock { $0.isNetworkDown = !isUp }
        default: return
        }
        Task { await forwarder.forward(self) }
    }

    /// The state to forward.
    ///
    /// It is read inside the actor, because tasks may overtake each other.
    private let wanted = Locked(SocketEnvironment())
    private let forwarder = ChangeForwarder()

    /// Forwards changes to the sockets in order.
    private actor ChangeForwarder {
        private var told = SocketEnvironment()
        private var isBusy = false

        func forward(_ sockets: SocketRegistry) async {
            guard !isBusy else { return }
            isBusy = true
            while case let wanted = sockets.wanted.withLock({ $0 }), wanted != told {
                let before = told
                told = wanted
                if wanted.isNetworkDown != before.isNetworkDown {
                    await sockets.networkChanged(isUp: !wanted.isNetworkDown)
                }
                guard wanted.isSuspended != before.isSuspended else { continue }
                if wanted.isSuspended { await sockets.suspend() } else { await sockets.resume() }
            }
            isBusy = false
        }
    }

    /// Suspends the sockets when the app enters the background.
    func suspend() async {
        for socket in live({ $0.isSuspended = true }) { await socket.driver.suspend() }
    }

    /// Resumes the sockets when the app returns to the foreground.
    func resume() async {
        for socket in live({ $0.isSuspended = false }) { await socket.driver.resume() }
    }

    /// Reports a change of the network to the sockets.
    func networkChanged(isUp: Bool) async {
        for socket in live({ $0.isNetworkDown = !isUp }) { await socket.driver.networkChanged(isUp: isUp) }
    }

    /// Records a change for later sockets, and returns the existing ones.
    private func live(_ change: (inout SocketEnvironment) -> Void) -> [SessionSocket] {
        content.withLock { content in
            change(&content.environment)
            return content.entries.values.compactMap(\.socket)
        }
    }
}

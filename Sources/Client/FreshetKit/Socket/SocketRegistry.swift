// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// The sockets of a session: one for each URL.
///
/// The lock guards the two tables; nothing waits under it.
final class SocketRegistry: Sendable {
    private struct Entry {
        weak var socket: SessionSocket?
    }

    private struct Content {
        var entries: [URL: Entry] = [:]
        /// They outlive their sockets: the next one waits until the last one's connection is gone.
        var semaphores: [URL: AsyncSemaphore] = [:]
        var environment = SocketEnvironment()
    }

    private let content = Locked(Content())

    /// The socket of a URL.
    ///
    /// - Returns: The one that is there; otherwise the new one.
    /// - Throws: ``SessionError/contractFault(_:)`` if the one that is there is configured otherwise.
    func socket(
        _ url: URL,
        _ configuration: SocketConfiguration,
        make: (AsyncSemaphore, SocketEnvironment) -> SessionSocket
    ) throws(SessionError) -> SessionSocket {
        let (socket, isSameConfiguration) = content.withLock { content in
            if let socket = content.entries[url]?.socket { return (socket, socket.configuration == configuration) }
            let semaphore = content.semaphores[url] ?? AsyncSemaphore()
            content.semaphores[url] = semaphore
            let socket = make(semaphore, content.environment)
            content.entries[url] = Entry(socket: socket)
            return (socket, true)
        }
        guard isSameConfiguration else {
            throw .contractFault("this URL's socket is in use with another configuration")
        }
        return socket
    }

    /// Tells the sockets what the session is told of the app and the network.
    func follow(_ kind: SessionEvent.Kind) {
        switch kind {
        case .phaseChanged(let phase): wanted.withLock { $0.isSuspended = phase == .background }
        case .networkChanged(let isUp): wanted.withLock { $0.isNetworkDown = !isUp }
        default: return
        }
        Task { await forwarder.forward(self) }
    }

    /// What the sockets are to be told: read inside the hop, since hops may overtake each other.
    private let wanted = Locked(SocketEnvironment())
    private let forwarder = ChangeForwarder()

    /// Tells the sockets one thing after the other.
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

    /// The app went to the background.
    func suspend() async {
        for socket in live({ $0.isSuspended = true }) { await socket.driver.suspend() }
    }

    /// The app is back.
    func resume() async {
        for socket in live({ $0.isSuspended = false }) { await socket.driver.resume() }
    }

    /// The system says whether there is a network.
    func networkChanged(isUp: Bool) async {
        for socket in live({ $0.isNetworkDown = !isUp }) { await socket.driver.networkChanged(isUp: isUp) }
    }

    /// The sockets that are to hear of a change; later ones see it.
    private func live(_ change: (inout SocketEnvironment) -> Void) -> [SessionSocket] {
        content.withLock { content in
            change(&content.environment)
            return content.entries.values.compactMap(\.socket)
        }
    }
}

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
        var slots: [URL: SocketSlot] = [:]
        var surroundings = SocketSurroundings()
    }

    private let content = Locked(Content())

    /// The socket of a URL.
    ///
    /// - Returns: The one that is there; otherwise the new one.
    /// - Throws: ``SessionError/contractFault(_:)`` if the one that is there is configured otherwise.
    func socket(
        _ url: URL,
        _ configuration: SocketConfiguration,
        make: (SocketSlot, SocketSurroundings) -> SessionSocket
    ) throws(SessionError) -> SessionSocket {
        let (socket, isOurs) = content.withLock { content in
            if let socket = content.entries[url]?.socket { return (socket, socket.configuration == configuration) }
            let slot = content.slots[url] ?? SocketSlot()
            content.slots[url] = slot
            let socket = make(slot, content.surroundings)
            content.entries[url] = Entry(socket: socket)
            return (socket, true)
        }
        guard isOurs else { throw .contractFault("this URL's socket is in use with another configuration") }
        return socket
    }

    /// Tells the sockets what the session is told of the app and the network.
    func follow(_ kind: SessionEvent.Kind) {
        switch kind {
        case .phaseChanged(let phase): wanted.withLock { $0.isSuspended = phase == .background }
        case .networkChanged(let isUp): wanted.withLock { $0.isNetworkDown = !isUp }
        default: return
        }
        Task { await conductor.lead(self) }
    }

    /// What the sockets are to be told: read inside the hop, since hops may overtake each other.
    private let wanted = Locked(SocketSurroundings())
    private let conductor = Conductor()

    /// Tells the sockets one thing after the other.
    private actor Conductor {
        private var told = SocketSurroundings()
        private var isBusy = false

        func lead(_ sockets: SocketRegistry) async {
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
    private func live(_ change: (inout SocketSurroundings) -> Void) -> [SessionSocket] {
        content.withLock { content in
            change(&content.surroundings)
            return content.entries.values.compactMap(\.socket)
        }
    }
}

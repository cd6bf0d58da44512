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

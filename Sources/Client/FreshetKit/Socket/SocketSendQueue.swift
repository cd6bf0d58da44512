// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The queue of messages to send, with the waiter of each.
///
/// One message is written at a time. No message is sent twice, because after a lost connection it is unknown whether
/// the message arrived.
struct SocketSendQueue<Waiter> {
    typealias ItemID = Int

    struct Item {
        let id: ItemID
        let message: WebSocketMessage
        /// The caller that waits; `nil` if it was cancelled, or for a pushed token.
        var waiter: Waiter?
    }

    let limit: Int
    private var items: [Item] = []
    private var lastID: ItemID = 0
    /// The message that is being written, and its connection.
    private var writing: (item: Item, connection: Int)?

    init(limit: Int) { self.limit = max(limit, 0) }

    var hasRoom: Bool { items.count < limit }

    /// Whether a message could be written immediately.
    var isIdle: Bool { items.isEmpty && writing == nil }

    mutating func nextID() -> ItemID {
        lastID += 1
        return lastID
    }

    mutating func append(_ id: ItemID, _ message: WebSocketMessage, _ waiter: Waiter) {
        items.append(Item(id: id, message: message, waiter: waiter))
    }

    /// Inserts a message before all queued ones.
    mutating func push(_ message: WebSocketMessage) {
        items.insert(Item(id: nextID(), message: message, waiter: nil), at: 0)
    }

    /// Removes and returns the next message to write.
    ///
    /// - Returns: `nil` if there is none, or if another one is being written.
    mutating func begin(on connection: Int) -> Item? {
        guard writing == nil, !items.isEmpty else { return nil }
        let item = items.removeFirst()
        writing = (item, connection)
        return item
    }

    /// Ends the write of a message, whether or not it succeeded.
    ///
    /// - Returns: The waiter of the message.
    mutating func finish(_ id: ItemID) -> Waiter? {
        guard let current = writing, current.item.id == id else { return nil }
        writing = nil
        return current.item.waiter
    }

    /// Ends the write on a closed connection; the server may have received the message.
    mutating func interrupt(on connection: Int) -> Waiter? {
        guard let current = writing, current.connection == connection else { return nil }
        writing = nil
        return current.item.waiter
    }

    /// Removes the waiter of a message; unless it is being written, the message is not sent.
    mutating func cancel(_ id: ItemID) -> Waiter? {
        if var current = writing, current.item.id == id {
            let waiter = current.item.waiter
            current.item.waiter = nil
            writing = current
            return waiter
        }
        guard let index = items.firstIndex(where: { $0.id == id }) else { return nil }
        return items.remove(at: index).waiter
    }

    /// Drops all queued messages.
    mutating func clear() -> [Waiter] {
        let waiters = items.compactMap(\.waiter)
        items = []
        return waiters
    }

    /// Drops queued token pushes of a closed connection.
    mutating func dropPushes() { items.removeAll { $0.waiter == nil } }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Messages to be sent, in order, and who waits for each.
///
/// One is being written at a time. It stays at the head until its end is known, and is never sent twice: when its
/// connection ends, nobody knows whether it arrived.
struct SocketSendQueue<Waiter> {
    typealias ItemID = Int

    struct Item {
        let id: ItemID
        let message: WebSocketMessage
        /// `nil` once nobody waits any more, or for a token that is pushed.
        var waiter: Waiter?
    }

    let limit: Int
    private var items: [Item] = []
    private var lastID: ItemID = 0
    /// The item that is being written, and over which connection.
    private var writing: (item: Item, connection: Int)?

    init(limit: Int) { self.limit = max(limit, 0) }

    var hasRoom: Bool { items.count < limit }

    /// Whether a message could be written at once.
    var isIdle: Bool { items.isEmpty && writing == nil }

    mutating func nextID() -> ItemID {
        lastID += 1
        return lastID
    }

    mutating func append(_ id: ItemID, _ message: WebSocketMessage, _ waiter: Waiter) {
        items.append(Item(id: id, message: message, waiter: waiter))
    }

    /// Puts a message before all that wait.
    mutating func push(_ message: WebSocketMessage) {
        items.insert(Item(id: nextID(), message: message, waiter: nil), at: 0)
    }

    /// Takes the next message to write.
    ///
    /// - Returns: `nil` if there is none, or if one is being written.
    mutating func begin(on connection: Int) -> Item? {
        guard writing == nil, !items.isEmpty else { return nil }
        let item = items.removeFirst()
        writing = (item, connection)
        return item
    }

    /// A message was written, or could not be.
    ///
    /// - Returns: Who waits for that.
    mutating func finish(_ id: ItemID) -> Waiter? {
        guard let current = writing, current.item.id == id else { return nil }
        writing = nil
        return current.item.waiter
    }

    /// A connection is gone; what was being written over it may have arrived or not.
    mutating func interrupt(on connection: Int) -> Waiter? {
        guard let current = writing, current.connection == connection else { return nil }
        writing = nil
        return current.item.waiter
    }

    /// Whoever waits for this message waits no longer; unless it is being written, it is not sent.
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

    /// Nothing that waits is sent.
    mutating func clear() -> [Waiter] {
        let waiters = items.compactMap(\.waiter)
        items = []
        return waiters
    }

    /// A token that was to be pushed over a connection that is gone is of no use.
    mutating func dropPushes() { items.removeAll { $0.waiter == nil } }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The queue of received messages, and their consumer.
///
/// One consumer at a time: a new one replaces the previous one. Messages are never dropped for lack of space: the
/// reader checks ``hasRoom`` first.
struct SocketInbox<Waiter> {
    typealias ConsumerID = Int

    let limit: Int
    private var messages: [SocketMessage] = []
    private var consumer: (id: ConsumerID, waiter: Waiter?)?
    private var lastConsumer: ConsumerID = 0
    /// Whether the socket is closed, so that the consumer gets only the messages that are left.
    private var isOver = false

    init(limit: Int) { self.limit = max(limit, 1) }

    /// Whether another message may be read.
    var hasRoom: Bool { messages.count < limit }

    /// Registers a new consumer.
    ///
    /// - Returns: Its ID, and the waiter of the previous consumer, which gets no more messages.
    mutating func attach() -> (id: ConsumerID, dismissed: Waiter?) {
        lastConsumer += 1
        let dismissed = consumer?.waiter
        consumer = (lastConsumer, nil)
        isOver = false
        return (lastConsumer, dismissed)
    }

    enum Take {
        case message(SocketMessage)
        /// The waiter was stored.
        case wait
        /// There are no more messages for this consumer.
        case end
    }

    /// Returns the next message to a consumer, or stores its waiter.
    mutating func take(_ id: ConsumerID, _ waiter: Waiter) -> Take {
        guard consumer?.id == id else { return .end }
        if !messages.isEmpty { return .message(messages.removeFirst()) }
        guard !isOver else {
            consumer = nil
            return .end
        }
        consumer = (id, waiter)
        return .wait
    }

    /// Adds a received message.
    ///
    /// - Returns: The waiter to deliver it to; without one, the message is queued.
    mutating func put(_ message: SocketMessage) -> Waiter? {
        if case let (id, waiter?)? = consumer {
            consumer = (id, nil)
            return waiter
        }
        messages.append(message)
        return nil
    }

    /// Removes the waiter of a cancelled consumer; messages are kept for the next one.
    mutating func cancel(_ id: ConsumerID) -> Waiter? {
        guard case let (current, waiter?)? = consumer, current == id else { return nil }
        consumer = (current, nil)
        return waiter
    }

    /// Ends the messages after the socket was closed.
    ///
    /// - Parameter dropping: Whether the queued messages are dropped. Otherwise the consumer gets them first.
    /// - Returns: The waiter, which gets no more messages.
    mutating func finish(dropping: Bool) -> Waiter? {
        if dropping { messages = [] }
        isOver = true
        guard case let (_, waiter?)? = consumer else {
            if dropping { consumer = nil }
            return nil
        }
        consumer = nil
        return waiter
    }

    /// Resumes after another caller than the consumer has reopened the socket.
    mutating func restart() {
        guard isOver else { return }
        consumer = nil
        isOver = false
    }
}

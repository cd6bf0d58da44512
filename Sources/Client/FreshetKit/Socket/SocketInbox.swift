// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Messages that were read and not yet taken, and who takes them.
///
/// One consumer at a time: a new one takes the place of the one before. Nothing is ever dropped for lack of room: whoever
/// reads asks ``hasRoom`` first.
struct SocketInbox<Waiter> {
    typealias ConsumerID = Int

    let limit: Int
    private var messages: [SocketMessage] = []
    private var consumer: (id: ConsumerID, waiter: Waiter?)?
    private var lastConsumer: ConsumerID = 0
    /// Whether the consumer gets what is left and no more.
    private var isOver = false

    init(limit: Int) { self.limit = max(limit, 1) }

    /// Whether another message may be read.
    var hasRoom: Bool { messages.count < limit }

    /// A new consumer comes.
    ///
    /// - Returns: Its name, and who waited for the consumer before and gets nothing more.
    mutating func attach() -> (id: ConsumerID, dismissed: Waiter?) {
        lastConsumer += 1
        let dismissed = consumer?.waiter
        consumer = (lastConsumer, nil)
        isOver = false
        return (lastConsumer, dismissed)
    }

    enum Take {
        case message(SocketMessage)
        /// The waiter is kept.
        case wait
        /// There is nothing more for this consumer.
        case end
    }

    /// A consumer wants the next message.
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

    /// A message was read.
    ///
    /// - Returns: Who waits for it; otherwise it is kept.
    mutating func put(_ message: SocketMessage) -> Waiter? {
        if case let (id, waiter?)? = consumer {
            consumer = (id, nil)
            return waiter
        }
        messages.append(message)
        return nil
    }

    /// A consumer's task was cancelled; messages wait for whoever comes next.
    mutating func cancel(_ id: ConsumerID) -> Waiter? {
        guard case let (current, waiter?)? = consumer, current == id else { return nil }
        consumer = (current, nil)
        return waiter
    }

    /// The socket is closed.
    ///
    /// - Parameter dropping: Whether what was not taken is for nobody any more. Otherwise the consumer gets it first.
    /// - Returns: Who waits, and gets nothing more.
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

    /// The socket is opened again, by somebody else than the consumer that was there.
    mutating func restart() {
        guard isOver else { return }
        consumer = nil
        isOver = false
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A WebSocket that stays connected for a signed-in user, with a valid token.
///
/// It reconnects after a lost connection. It opens at the first iteration over ``messages``, or when ``connect()`` is
/// called. It closes when ``close()`` is called, when the user signs out, when the server forbids it, or when the
/// object is released. A closed socket can be opened again. There is one connection at a time.
///
/// Messages that the server sent while there was no connection, or that were in transit when a connection broke, are
/// lost; ``SocketMessage/connection`` and ``SocketState/open(connection:)`` show when to fetch missed data. Messages
/// that were read are delivered in order and once.
public final class SessionSocket: Sendable {
    let driver: SocketDriver
    let configuration: SocketConfiguration

    init(_ driver: SocketDriver) {
        self.driver = driver
        configuration = driver.configuration
    }

    deinit {
        let driver = driver
        Task { await driver.close() }
    }

    /// The received messages, until the socket is closed; ``state`` then contains the reason.
    ///
    /// One consumer at a time: a new iteration replaces the previous one, which ends. Cancelling the consumer's task
    /// ends the iteration and leaves the socket open; messages are then buffered for the next iteration, and reading
    /// from the network stops at ``SocketConfiguration/incomingLimit`` buffered messages. When the user signs out,
    /// buffered messages are dropped.
    public var messages: Messages { Messages(socket: self) }

    /// The socket's state.
    public var state: SocketState { driver.broadcaster.latest ?? .idle }

    /// The current state, followed by each change.
    ///
    /// Each access returns a new stream.
    public var states: AsyncStream<SocketState> { driver.broadcaster.stream() }

    /// Opens the socket, unless it is open or opening.
    public func connect() async { await driver.start() }

    /// Closes the socket with code 1000; queued messages in both directions are dropped.
    public func close() async { await driver.close() }

    /// Sends a message.
    ///
    /// Returns when the message was written, which does not mean that the server received or processed it. Messages are
    /// sent in the order of the calls, and never twice. Without a connection a message waits for one, or fails,
    /// depending on ``SocketConfiguration/sendsWaitForConnection``.
    ///
    /// - Throws: ``SocketError``, whose cases distinguish whether the message may have arrived.
    public func send(_ message: WebSocketMessage) async throws(SocketError) { try await driver.send(message) }

    /// Sends a text message.
    public func send(_ text: String) async throws(SocketError) { try await send(.text(text)) }

    /// The received messages of a socket, see ``SessionSocket/messages``.
    public struct Messages: AsyncSequence, Sendable {
        fileprivate let socket: SessionSocket

        /// A consumer of the messages.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let socket: SessionSocket
            private var id: Int?

            fileprivate init(_ socket: SessionSocket) { self.socket = socket }

            /// Returns the next message; `nil` when the socket is closed or another iteration replaced this one.
            public mutating func next() async -> SocketMessage? {
                await next(isolation: nil)
            }

            /// Returns the next message; `nil` when the socket is closed or another iteration replaced this one.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> SocketMessage? {
                if id == nil { id = await socket.driver.attach() }
                guard let consumer = id else { return nil }
                return await socket.driver.next(for: consumer)
            }
        }

        /// Creates a consumer, which replaces the previous one when it requests its first message.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(socket) }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A WebSocket that stays open for one signed-in user: it connects with a token that is good, and connects again after
/// whatever ended the connection.
///
/// It begins with the first iteration over ``messages`` or with ``connect()``, and ends with ``close()``, with the user's
/// sign-out, when the server does not allow it, or when nobody holds the object any more. After an end it can be begun
/// again. There is one connection at a time.
///
/// What the server sent while no connection was open is not seen by it, nor what was under way when a connection broke;
/// ``SocketMessage/connection`` and ``SocketState/open(connection:)`` tell when to fetch what may be missing. What was read
/// is handed over, in order and once.
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

    /// The messages that come, until the socket is closed; ``state`` then says why.
    ///
    /// One consumer at a time: a new iteration takes over, and the one before ends. Cancelling the consumer's task ends the
    /// iteration and leaves the socket open; what comes meanwhile waits for the next iteration, and when
    /// ``SocketConfiguration/incomingLimit`` messages wait, nothing more is read from the network. A user who signs out
    /// takes along what was not consumed.
    public var messages: Messages { Messages(socket: self) }

    /// Where the socket stands.
    public var state: SocketState { driver.broadcaster.latest ?? .idle }

    /// The state now, then every further one.
    ///
    /// Each call gives a stream of its own.
    public var states: AsyncStream<SocketState> { driver.broadcaster.stream() }

    /// Opens the socket, unless it is open or on its way.
    public func connect() async { await driver.start() }

    /// Closes the socket with code 1000; messages that wait on either side are dropped.
    public func close() async { await driver.close() }

    /// Sends a message.
    ///
    /// It is written when this returns, which says neither that it arrived nor that the server has acted on it. Messages are
    /// sent in the order of the calls, and none is sent twice. While there is no connection a message waits for one, or fails,
    /// as ``SocketConfiguration/sendsWaitForConnection`` says.
    ///
    /// - Throws: ``SocketError``: whether the message may have arrived is what its cases tell apart.
    public func send(_ message: WebSocketMessage) async throws(SocketError) { try await driver.send(message) }

    /// Sends a text.
    public func send(_ text: String) async throws(SocketError) { try await send(.text(text)) }

    /// What a socket brings, see ``SessionSocket/messages``.
    public struct Messages: AsyncSequence, Sendable {
        fileprivate let socket: SessionSocket

        /// One consumer.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let socket: SessionSocket
            private var id: Int?

            fileprivate init(_ socket: SessionSocket) { self.socket = socket }

            /// The next message, or `nil` when the socket is closed or another iteration took over.
            public mutating func next() async -> SocketMessage? {
                await next(isolation: nil)
            }

            /// The next message, or `nil` when the socket is closed or another iteration took over.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> SocketMessage? {
                let consumer: Int
                if let id { consumer = id } else { consumer = await socket.driver.attach() }
                id = consumer
                return await socket.driver.next(for: consumer)
            }
        }

        /// A new consumer, which takes over with its first message.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(socket) }
    }
}

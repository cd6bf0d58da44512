// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import FreshetKit

/// The server's end of a connection that a ``ManualWebSocketTransport`` opened.
public final class ManualWebSocketConnection: WebSocketConnection {
    private struct State {
        var answersPings = true
        var takesMessages = true
        var answersCloseFrames = true
        var pings = 0
        var closeCode: Int?
        var isOver = false
        var unanswered: [CheckedContinuation<Void, any Error>] = []
        var untaken: [CheckedContinuation<Void, any Error>] = []
        var parting: [CheckedContinuation<Void, any Error>] = []
    }

    private let state = Locked(State())
    private let incoming = AsyncQueue<WebSocketMessage>()
    private let outgoing = AsyncQueue<WebSocketMessage>("a message of the client over a WebSocket")
    private let ended = AsyncQueue<Void>("the end of a WebSocket")
    private let begun = AsyncQueue<Void>("the client to send over a WebSocket")
    private let onEnd: @Sendable () -> Void

    init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    // MARK: The test's side

    /// Sends a message to the client, which receives it at its next read.
    public func deliver(_ message: WebSocketMessage) {
        incoming.put(message)
    }

    /// Sends a text to the client.
    public func deliver(_ text: String) { deliver(.text(text)) }

    /// Closes the connection with a code; messages that were delivered before can still be read.
    public func close(fromServer code: Int) { end(WebSocketError.closed(code: code)) }

    /// Breaks the connection; messages that were delivered before can still be read.
    public func lose() { end(WebSocketError.lost) }

    /// Returns the client's next message.
    public func nextSent() async throws -> WebSocketMessage { try await outgoing.next() }

    /// Waits until the client has started to send another message, received or not.
    public func waitUntilSending() async throws { try await begun.next() }

    /// Waits until the client has read all but `count` of the delivered messages.
    public func waitUntilUnread(_ count: Int) async { await incoming.waitUntilUnclaimed(count) }

    /// Waits until the connection is closed or broken.
    public func waitUntilEnded() async throws { try await ended.next() }

    /// The code that the client closed the connection with, if it did.
    public var closeCode: Int? { state.withLock { $0.closeCode } }

    /// The number of delivered messages that the client has not read.
    public var unread: Int { incoming.unclaimed.count }

    /// The number of pings that the client has sent.
    public var pings: Int { state.withLock { $0.pings } }

    /// Whether the server answers pings; while it does not, the client waits.
    public var answersPings: Bool {
        get { state.withLock { $0.answersPings } }
        set { change(\.answersPings, newValue, \.unanswered) }
    }

    /// Whether the server receives messages; while it does not, the client's sends wait.
    public var takesMessages: Bool {
        get { state.withLock { $0.takesMessages } }
        set { change(\.takesMessages, newValue, \.untaken) }
    }

    /// Whether the server answers the client's close frame; while it does not, the client's close waits.
    public var answersCloseFrames: Bool {
        get { state.withLock { $0.answersCloseFrames } }
        set { change(\.answersCloseFrames, newValue, \.parting) }
    }

    private typealias Waiting = [CheckedContinuation<Void, any Error>]

    private func change(
        _ place: WritableKeyPath<State, Bool>,
        _ isReady: Bool,
        _ waiting: WritableKeyPath<State, Waiting>
    ) {
        let ready = state.withLock { state in
            state[keyPath: place] = isReady
            guard isReady else { return Waiting() }
            defer { state[keyPath: waiting] = [] }
            return state[keyPath: waiting]
        }
        for waiter in ready { waiter.resume() }
    }

    // MARK: The client's side

    /// Returns the next delivered message.
    public func receive() async throws -> WebSocketMessage { try await incoming.next() }

    /// Passes a message to the test.
    public func send(_ message: WebSocketMessage) async throws {
        begun.put(())
        try await wait(\.untaken) { $0.takesMessages }
        outgoing.put(message)
    }

    /// Counts a ping and waits for the pong.
    public func ping() async throws {
        state.withLock { $0.pings += 1 }
        try await wait(\.unanswered) { $0.answersPings }
    }

    /// Closes the connection with a code.
    public func close(code: Int) async {
        state.withLock { if !$0.isOver { $0.closeCode = code } }
        try? await wait(\.parting) { $0.answersCloseFrames }
        end(WebSocketError.lost)
    }

    private func wait(
        _ place: WritableKeyPath<State, Waiting>,
        unless isReady: @Sendable (State) -> Bool
    ) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let result: Result<Void, any Error>? = state.withLock { state in
                if state.isOver { return .failure(WebSocketError.lost) }
                if isReady(state) { return .success(()) }
                state[keyPath: place].append(continuation)
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }

    private func end(_ error: WebSocketError) {
        let (isFirst, waiting) = state.withLock { state in
            defer {
                state.isOver = true
                state.unanswered = []
                state.untaken = []
                state.parting = []
            }
            return (!state.isOver, state.unanswered + state.untaken + state.parting)
        }
        guard isFirst else { return }
        onEnd()
        incoming.finish(throwing: error)
        outgoing.finish(throwing: error)
        for waiter in waiting { waiter.resume(throwing: error) }
        ended.put(())
    }
}

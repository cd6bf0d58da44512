// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import FreshetKit

#if canImport(FoundationNetworking)
    internal import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// A WebSocket handshake that waits for the test to answer it.
public final class PendingHandshake: Sendable {
    private enum State {
        case open(CheckedContinuation<any WebSocketConnection, any Error>?)
        case over(Result<any WebSocketConnection, any Error>)
    }

    /// The handshake request as the client sent it.
    public let request: URLRequest
    /// The subprotocols that the client offered.
    public let protocols: [String]
    private let state = Locked(State.open(nil))
    private let count: @Sendable (Int) -> Void

    init(_ request: URLRequest, _ protocols: [String], count: @escaping @Sendable (Int) -> Void) {
        self.request = request
        self.protocols = protocols
        self.count = count
    }

    /// The bearer token in the `Authorization` header, if any.
    public var bearer: String? {
        let header = request.value(forHTTPHeaderField: "Authorization")
        return header.flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil }
    }

    /// Returns the value of a query item, if the request has it.
    public func queryItem(_ name: String) -> String? {
        let parts = request.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: false) }
        return parts?.queryItems?.first { $0.name == name }?.value
    }

    /// Whether the client cancelled the handshake before it was answered.
    public var isCancelled: Bool {
        state.withLock { state in
            if case .over(.failure(let error)) = state { error is CancellationError } else { false }
        }
    }

    /// Accepts the handshake with 101.
    ///
    /// - Returns: The server's end of the connection.
    @discardableResult
    public func accept() -> ManualWebSocketConnection {
        let connection = ManualWebSocketConnection { [count] in count(-1) }
        count(1)
        if !finish(with: .success(connection)) { connection.lose() }
        return connection
    }

    /// Refuses the handshake with another status.
    public func refuse(_ status: Int, headers: [String: String] = [:], body: String = "") {
        let refusal = WebSocketRefusal(status: status, headers: headers, body: Data(body.utf8))
        finish(with: .failure(WebSocketError.refused(refusal)))
    }

    /// Fails the handshake with an error instead of a response.
    public func fail(_ error: any Error = WebSocketError.lost) { finish(with: .failure(error)) }

    func outcome() async throws -> any WebSocketConnection {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<any WebSocketConnection, any Error>? = state.withLock { state in
                    if case .over(let result) = state { return result }
                    state = .open(continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            finish(with: .failure(CancellationError()))
        }
    }

    @discardableResult
    private func finish(with result: Result<any WebSocketConnection, any Error>) -> Bool {
        let (isFirst, continuation) = state.withLock {
            state -> (Bool, CheckedContinuation<any WebSocketConnection, any Error>?) in
            guard case .open(let continuation) = state else { return (false, nil) }
            state = .over(result)
            return (true, continuation)
        }
        continuation?.resume(with: result)
        return isFirst
    }
}

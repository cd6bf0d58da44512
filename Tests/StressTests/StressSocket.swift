// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

@testable import StressWorker

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Opens sockets to a backend in this process, which echoes what is sent.
struct StressSocketTransport: WebSocketTransport {
    let backend: StressBackend

    func connect(
        _ request: URLRequest,
        protocols: [String],
        limits: WebSocketLimits
    ) async throws -> any WebSocketConnection {
        var handshake = StressRequest(request)
        let query = request.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: false) }?.queryItems
        handshake.headers[StressRequest.label] = query?.first { $0.name == "operation" }?.value
        let socket = StressSocket()
        guard backend.open(handshake, socket) else { throw WebSocketError.refused(WebSocketRefusal(status: 401)) }
        return socket
    }
}

/// A connection that echoes.
final class StressSocket: WebSocketConnection {
    private let stream: AsyncStream<WebSocketMessage>
    private let echo: AsyncStream<WebSocketMessage>.Continuation
    private let code = Locked<Int?>(nil)

    init() { (stream, echo) = AsyncStream.makeStream(of: WebSocketMessage.self) }

    /// Closes the connection from the server's side.
    func end(_ code: Int) {
        self.code.withLock { if $0 == nil { $0 = code } }
        echo.finish()
    }

    func receive() async throws -> WebSocketMessage {
        guard let message = await stream.first(where: { _ in true }) else {
            guard let code = code.withLock({ $0 }) else { throw WebSocketError.lost }
            throw WebSocketError.closed(code: code)
        }
        return message
    }

    func send(_ message: WebSocketMessage) async throws { echo.yield(message) }
    func ping() async throws {}
    func close(code: Int) async { end(code) }
}

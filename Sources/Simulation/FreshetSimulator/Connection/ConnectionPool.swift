// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import NIOCore
    import SeededRandom

    /// The clients' connections to one process of a server, which requests share as those of a proxy do.
    final class ConnectionPool: @unchecked Sendable {
        private let shared: SimulatedConnections
        private let listener: SimulatedListener
        private var connections: [ClientConnection] = []

        init(_ shared: SimulatedConnections, to listener: SimulatedListener) {
            self.shared = shared
            self.listener = listener
        }

        /// Resets all connections, as the end of the server's process does.
        func kill() {
            let open = connections
            connections = []
            for connection in open { connection.kill() }
        }

        /// Sends a request, and waits for its response.
        ///
        /// - Parameters:
        ///   - request: The request.
        ///   - bodyDelay: The time between its head and its body.
        ///   - bodyArrived: Called when the server has received the whole request.
        /// - Returns: The response.
        /// - Throws: `URLError` if the connection ends before.
        func respond(to request: URLRequest, bodyDelay: Duration, bodyArrived: @escaping () -> Void) async throws
            -> (Data, HTTPURLResponse)
        {
            guard let url = request.url else { throw URLError(.badURL) }
            let response = try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<HTTPResponseReader.Response, any Error>) in
                shared.requests += 1
                let id = "request-\(shared.requests)"
                let exchange = ClientConnection.Exchange(
                    id: id,
                    pieces: pieces(of: request, url, id: id, bodyDelay: bodyDelay),
                    onArrival: bodyArrived,
                    onResponse: { continuation.resume(with: $0) }
                )
                addFault(to: exchange)
                connection().send(exchange)
            }
            let head = HTTPURLResponse(
                url: url,
                statusCode: response.status,
                httpVersion: "HTTP/1.1",
                headerFields: response.fields
            )
            guard let head else { throw URLError(.badServerResponse) }
            return (response.body, head)
        }

        // MARK: - Connections

        /// Returns an open connection, or a new one.
        private func connection() -> ClientConnection {
            connections.removeAll { !$0.isOpen }
            // A connection that may close before the request arrives is not used again.
            let usable = connections.filter { $0.isUsable && $0.idleTime < .seconds(50) }
            let busy = usable.filter { !$0.isIdle }
            // Few requests find a busy connection: half of them are pipelined, and wait for the ones before.
            let isPipelined = shared.random.number(in: 0...1) == 0 && !busy.isEmpty
            if isPipelined { shared.pipelined += 1 }
            let isNew = shared.random.number(in: 0...7) == 0
            let candidates = isPipelined ? busy : isNew ? [] : usable.filter(\.isIdle)
            if !candidates.isEmpty {
                shared.reuses += 1
                return candidates[shared.random.number(in: 0...candidates.count - 1)]
            }
            return open()
        }

        private func open() -> ClientConnection {
            let number = shared.open()
            let channel = listener.open { [shared] in shared.end(number) }
            let connection = ClientConnection(channel, name: "connection \(number)", journal: shared.journal)
            connections.append(connection)
            return connection
        }

        // MARK: - Requests

        private func pieces(
            of request: URLRequest,
            _ url: URL,
            id: String,
            bodyDelay: Duration
        ) -> [(delay: Duration, bytes: ByteBuffer)] {
            let body = request.httpBody ?? Data()
            let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
            var lines = ["\(request.httpMethod ?? "GET") \(url.path(percentEncoded: true))\(query) HTTP/1.1"]
            lines += ["Host: api.example.com", "X-Request-ID: \(id)"]
            for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
                lines.append("\(name): \(value)")
            }
            if !body.isEmpty { lines.append("Content-Length: \(body.count)") }
            let head = Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
            // Most requests fit into one packet.
            let isWhole = bodyDelay == .zero && shared.random.number(in: 0...1) == 0
            // Requests that wait for this one are sent together.
            let waits = shared.random.number(in: 0...3) == 0
            let delay = Duration.milliseconds(waits ? shared.random.number(in: 1...100) : 0)
            if isWhole { return [(delay, ByteBuffer(bytes: head + body))] }
            var pieces = cut(head)
            pieces[0].delay += delay
            if body.isEmpty { return pieces }
            var rest = cut(body)
            // The part that is held back begins within the body, or with it.
            let held = shared.random.number(in: 0...rest.count - 1)
            rest[held].delay += bodyDelay
            if held == 0, bodyDelay == .zero, let last = pieces.popLast() {
                var bytes = last.bytes
                bytes.writeImmutableBuffer(rest[0].bytes)
                rest[0] = (last.delay, bytes)
            }
            pieces += rest
            return pieces
        }

        /// Cuts bytes at random places.
        private func cut(_ bytes: Data) -> [(delay: Duration, bytes: ByteBuffer)] {
            var places = (0..<shared.random.number(in: 0...3)).map { _ in shared.random.number(in: 1...bytes.count) }
            places = Array(Set(places + [0, bytes.count])).sorted()
            return zip(places, places.dropFirst()).map { start, end in
                // Some pieces arrive after the fast path has stopped waiting, or after a timeout.
                let isSlow = shared.random.number(in: 0...15) == 0
                let limit = !isSlow ? 5 : shared.hasFaults ? 20_000 : 2000
                return (.milliseconds(shared.random.number(in: 0...limit)), ByteBuffer(bytes: bytes[start..<end]))
            }
        }

        private func addFault(to exchange: ClientConnection.Exchange) {
            guard shared.hasFaults, shared.random.number(in: 0...19) == 0 else { return }
            shared.faults += 1
            let delay = Duration.microseconds(shared.random.number(in: 0...30_000))
            switch shared.random.number(in: 0...3) {
            case 0: exchange.fault = .reset(after: delay)
            case 1: exchange.fault = .halfClose
            case let kind:
                exchange.fault = kind == 2 ? .resetInside(after: delay) : .halfCloseInside
                let last = exchange.pieces.removeLast()
                if last.bytes.readableBytes > 1 {
                    let length = shared.random.number(in: 1...last.bytes.readableBytes - 1)
                    exchange.pieces.append((last.delay, ByteBuffer(last.bytes.readableBytesView.prefix(length))))
                }
            }
        }
    }
#endif

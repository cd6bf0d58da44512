// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetKit
    import NIOCore

    /// The client's end of a WebSocket: a handshake in HTTP/1.1, then frames.
    final class ClientSocket: WebSocketConnection, @unchecked Sendable {
        let name: String
        private let channel: SimulatedChannel
        private let sockets: SimulatedSockets
        private let clock: DeviceClock
        private var isOpen = true
        /// Whether the connection passes nothing on any more, which neither side notices at once.
        private(set) var isSilent = false
        private var head = Data()
        private var handshake: CheckedContinuation<Void, any Error>?
        private var refusal: HTTPResponseReader?
        private var frames = WebSocketFrameReader()
        private var messages: [WebSocketMessage] = []
        private var end: (any Error)?
        private var receiver: CheckedContinuation<WebSocketMessage, any Error>?
        private var pings: [CheckedContinuation<Void, any Error>] = []
        /// The times at which the last bytes of each direction arrive: a connection keeps their order.
        private var lastSent = Duration.zero
        private var lastReceived = Duration.zero
        /// Called with each message of the server, and with `nil` at the end.
        private let observe: (Data?) -> Void

        init(
            _ channel: SimulatedChannel,
            name: String,
            _ sockets: SimulatedSockets,
            _ clock: DeviceClock,
            observe: @escaping (Data?) -> Void
        ) {
            self.clock = clock
            self.channel = channel
            self.name = name
            self.sockets = sockets
            self.observe = observe
            channel.onOutput = { [weak self] output in self?.receive(output) }
        }

        /// Whether one of the sides has closed it, or it was lost.
        var hasEnded: Bool { end != nil }

        // MARK: - Handshake

        /// Sends the handshake, and waits for its response.
        ///
        /// - Throws: `WebSocketError.refused` for a response other than 101, `WebSocketError.lost` if there is none.
        func open(_ request: URLRequest, protocols: [String]) async throws {
            guard let url = request.url else { throw URLError(.badURL) }
            let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
            var lines = ["GET \(url.path(percentEncoded: true))\(query) HTTP/1.1", "Host: api.example.com"]
            lines += ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
            lines.append("Sec-WebSocket-Key: \(Data(sockets.randomBytes(16)).base64EncodedString())")
            if !protocols.isEmpty { lines.append("Sec-WebSocket-Protocol: \(protocols.joined(separator: ", "))") }
            for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
                lines.append("\(name): \(value)")
            }
            let bytes = Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                    guard isOpen else { return continuation.resume(throwing: WebSocketError.lost) }
                    handshake = continuation
                    write(bytes)
                }
            } onCancel: {
                reset()
            }
        }

        private func take(_ data: Data) {
            guard handshake != nil else { return takeFrames(data) }
            head.append(data)
            if refusal != nil { return takeRefusal(data) }
            guard let end = head.firstRange(of: Data("\r\n\r\n".utf8)) else { return }
            guard head.starts(with: Data("HTTP/1.1 101 ".utf8)) else {
                refusal = HTTPResponseReader()
                return takeRefusal(head)
            }
            handshake.take()?.resume()
            takeFrames(Data(head[end.upperBound...]))
        }

        private func takeRefusal(_ data: Data) {
            refusal?.receive(ByteBuffer(bytes: data))
            do {
                guard let response = try refusal?.next() else { return }
                let refusal = WebSocketRefusal(status: response.status, headers: response.fields, body: response.body)
                handshake.take()?.resume(throwing: WebSocketError.refused(refusal))
                reset()
            } catch {
                sockets.journal.violation("\(name) receives what is no response: \(error)")
            }
        }

        // MARK: - Frames

        private func takeFrames(_ data: Data) {
            frames.receive(data)
            do { while let frame = try frames.next() { take(frame) } } catch {
                sockets.journal.violation("\(name) receives what is no frame: \(error)")
            }
        }

        private func take(_ frame: WebSocketFrame) {
            guard end == nil else { return }
            switch frame.opcode {
            case .text, .binary:
                observe(frame.payload)
                let text = String(bytes: frame.payload, encoding: .utf8)
                deliver(frame.opcode == .text ? .text(text ?? "") : .data(frame.payload))
            case .ping:
                observe(Data())
                send(WebSocketFrame(opcode: .pong, payload: frame.payload))
            case .pong:
                if !pings.isEmpty { pings.removeFirst().resume() }
            case .close:
                let code = frame.payload.count >= 2 ? Int(frame.payload[0]) << 8 | Int(frame.payload[1]) : 1005
                send(WebSocketFrame(opcode: .close, payload: frame.payload.prefix(2)))
                finish(WebSocketError.closed(code: code))
            case .continuation: break
            }
        }

        private func deliver(_ message: WebSocketMessage) {
            if let waiting = receiver.take() { return waiting.resume(returning: message) }
            messages.append(message)
        }

        private func send(_ frame: WebSocketFrame) { write(frame.masked(with: sockets.randomBytes(4))) }

        private func write(_ bytes: Data) {
            let buffer = ByteBuffer(bytes: bytes)
            lastSent = max(lastSent, clock.wakeTime)
            SimulationExecutor.shared.schedule(after: sockets.delay(after: &lastSent)) { [self] in
                guard isOpen, !isSilent else { return }
                onLoop { [channel] in channel.receive(buffer) }
            }
        }

        // MARK: - The session's calls

        func receive() async throws -> WebSocketMessage {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    if !messages.isEmpty { return continuation.resume(returning: messages.removeFirst()) }
                    if let end { return continuation.resume(throwing: end) }
                    receiver = continuation
                }
            } onCancel: {
                receiver.take()?.resume(throwing: CancellationError())
            }
        }

        func send(_ message: WebSocketMessage) async throws {
            if let end { throw end }
            send(WebSocketFrame(opcode: message.text == nil ? .binary : .text, payload: message.data))
        }

        func ping() async throws {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                if let end { return continuation.resume(throwing: end) }
                pings.append(continuation)
                send(WebSocketFrame(opcode: .ping, payload: Data()))
            }
        }

        func close(code: Int) async {
            guard end == nil else { return }
            send(WebSocketFrame(opcode: .close, payload: Data([UInt8(code >> 8), UInt8(code & 0xFF)])))
            finish(WebSocketError.lost)
            // The server closes the connection after its close frame.
            SimulationExecutor.shared.schedule(after: .seconds(2)) { self.reset() }
        }

        // MARK: - The end

        /// The connection passes nothing on from now on.
        func fallSilent() { isSilent = true }

        /// The connection is reset.
        func reset() {
            guard isOpen else { return }
            closed()
            onLoop { [channel] in channel.receiveReset() }
        }

        private func receive(_ output: SimulatedChannel.Output) {
            switch output {
            case .bytes(let bytes):
                let data = Data(bytes.readableBytesView)
                SimulationExecutor.shared.schedule(after: sockets.delay(after: &lastReceived)) { [self] in
                    clock.whenAwake { [self] in if isOpen, !isSilent { take(data) } }
                }
            case .end: break
            case .closed:
                SimulationExecutor.shared.schedule(after: sockets.delay(after: &lastReceived)) { [self] in
                    clock.whenAwake { [self] in if !isSilent { closed() } }
                }
            }
        }

        private func closed() {
            guard isOpen else { return }
            isOpen = false
            handshake.take()?.resume(throwing: WebSocketError.lost)
            finish(WebSocketError.lost)
        }

        private func finish(_ error: any Error) {
            guard end == nil else { return }
            end = error
            observe(nil)
            receiver.take()?.resume(throwing: error)
            let waiting = pings
            pings = []
            for ping in waiting { ping.resume(throwing: error) }
        }

        private func onLoop(_ action: @escaping () -> Void) {
            nonisolated(unsafe) let action = action
            channel.eventLoop.execute { action() }
        }
    }
#endif

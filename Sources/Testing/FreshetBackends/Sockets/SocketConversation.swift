// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetAppBackends
import FreshetTesting
import NIOCore
import NIOWebSocket

/// The WebSocket frames of one socket of a fake backend.
struct SocketConversation: Sendable {
    private typealias Frames = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

    /// The socket was closed by the backend.
    private struct Closed: Error {}

    let backend: AppBackend
    let socket: BackendSocket

    func run(on channel: NIOAsyncChannel<WebSocketFrame, WebSocketFrame>) async throws {
        defer { backend.closed(socket) }
        try await channel.executeThenClose { inbound, outbound in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { try? await read(inbound, outbound) }
                group.addTask { try? await performCommands(outbound, channel.channel) }
                group.addTask { try? await runTimers() }
                await group.next()
                group.cancelAll()
            }
        }
    }

    private func read(
        _ inbound: NIOAsyncChannelInboundStream<WebSocketFrame>,
        _ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>
    ) async throws {
        for try await frame in inbound {
            let data = frame.unmaskedData
            switch frame.opcode {
            case .ping: try await outbound.write(WebSocketFrame(fin: true, opcode: .pong, data: data))
            case .pong: backend.receivedPong()
            case .text: backend.received(String(buffer: data))
            case .connectionClose:
                return try await outbound.write(WebSocketFrame(fin: true, opcode: .connectionClose, data: data))
            default: break
            }
        }
    }

    /// Carries out the backend's commands for the socket, until one of them closes it.
    private func performCommands(_ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>, _ channel: any Channel)
        async throws
    {
        for await command in socket.commands {
            switch command {
            case .send(let text):
                try await outbound.write(.init(fin: true, opcode: .text, data: ByteBuffer(string: text)))
            case .ping: try await outbound.write(.init(fin: true, opcode: .ping, data: ByteBuffer()))
            case .malformedFrame:
                try await outbound.write(.init(fin: true, rsv1: true, opcode: .text, data: ByteBuffer(string: "?")))
            case .drop: return
            case .close(let code, let reason):
                var data = ByteBuffer(integer: code)
                data.writeString(reason)
                return try await outbound.write(.init(fin: true, opcode: .connectionClose, data: data))
            case .clockChanged: closeIfExpired()
            }
        }
    }

    /// Sends pings, and closes the socket when its access token expires.
    private func runTimers() async throws {
        while true {
            let settings = backend.settings
            let left = settings.closesSocketsAtExpiry ? backend.timeLeft(of: socket) : .infinity
            let pause = settings.socketPingInterval
            guard left > 0 else {
                closeIfExpired()
                return try await Task.sleep(for: .seconds(86_400))
            }
            if .seconds(min(left, 1e9)) < pause {
                try await Task.sleep(for: .seconds(left))
            } else {
                try await Task.sleep(for: pause)
                backend.ping(socket)
            }
        }
    }

    private func closeIfExpired() {
        let settings = backend.settings
        guard settings.closesSocketsAtExpiry, backend.timeLeft(of: socket) <= 0 else { return }
        let code = UInt16(clamping: settings.socketExpiryCode)
        backend.command(.close(code: code, reason: "the access token has expired"), to: socket)
    }
}

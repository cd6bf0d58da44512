// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

@testable import StressWorker

/// Serves a stress backend on a loopback port.
struct StressServer {
    private struct ConnectionLost: Error {}

    let backend: StressBackend

    /// Serves for as long as `body` runs.
    static func run(_ backend: StressBackend, _ body: (URL) async throws -> Void) async throws {
        var log = Logger(label: "stress")
        log.logLevel = .critical
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let server = try StressServer(backend: backend).listener(log) { port.yield($0) }
        let group = ServiceGroup(services: [server], logger: log)
        async let serving: Void = group.run()
        guard let number = await ports.first(where: { _ in true }), let base = URL(string: "http://127.0.0.1:\(number)")
        else { throw ConnectionLost() }
        do { try await body(base) } catch {
            await group.triggerGracefulShutdown()
            throw error
        }
        await group.triggerGracefulShutdown()
        try await serving
    }

    private func listener(_ log: Logger, _ onListening: @escaping @Sendable (Int) -> Void) throws -> any Service {
        // After a lost connection URLSession on Linux repeats a request without its body, and waits for the answer.
        try HTTPServerBuilder.http1(configuration: .init(idleTimeout: .seconds(1))).buildServer(
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: log,
            responder: { request, writer, _ in try await respond(to: request, writer) },
            onServerRunning: { channel in onListening(channel.localAddress?.port ?? 0) }
        )
    }

    @concurrent private func respond(to request: Request, _ writer: consuming ResponseWriter) async throws {
        let body = try await request.body.collect(upTo: 1 << 20)
        let target = request.head.path ?? "/"
        let message = StressRequest(
            method: request.method.rawValue,
            path: target.prefix { $0 != "?" }.description,
            headers: request.headers.reduce(into: [:]) { $0[$1.name.canonicalName] = $1.value },
            body: Data(body.readableBytesView)
        )
        guard let reply = await backend.answer(message) else { throw ConnectionLost() }
        var fields = HTTPFields()
        for (name, value) in reply.headers { if let name = HTTPField.Name(name) { fields[name] = value } }
        if !reply.body.isEmpty { fields[.contentType] = "application/json" }
        let response = Response(
            status: .init(code: reply.status),
            headers: fields,
            body: ResponseBody(byteBuffer: ByteBuffer(string: reply.body))
        )
        try await writer.write(response: response.head, body: response.body)
    }
}

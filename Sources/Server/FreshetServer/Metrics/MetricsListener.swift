// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetMetrics
import Hummingbird
import HummingbirdCore
import Logging
import ServiceLifecycle

/// Answers `GET /metrics` at an address of its own, which is not the public one.
final class MetricsListener: Service {
    let address: ListenAddress
    let parts: ServerParts
    /// Told the port once it is open; for a port that the system chose.
    let onListening: @Sendable (Int) async -> Void

    init(address: ListenAddress, parts: ServerParts, onListening: @escaping @Sendable (Int) async -> Void) {
        self.address = address
        self.parts = parts
        self.onListening = onListening
    }

    func run() async throws {
        let router = Router()
        router.get("/metrics") { [parts] _, _ in
            var samples = parts.metrics.samples
            ServerGauges(parts: parts).add(to: &samples)
            return Response(
                status: .ok,
                headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: samples.text))
            )
        }
        let (port, log) = (address.port, parts.log)
        let admission = AdmissionController(.operators, open: parts.admission.open)
        let application = Application(
            responder: router.buildResponder(),
            server: HTTPServerBuilder { [limits = parts.configuration.limits] responder in
                ServerConnection(
                    responder: responder,
                    limits: limits,
                    admission: admission,
                    certificate: nil,
                    endpoints: SocketEndpoints(),
                    log: log
                )
            },
            configuration: .init(address: .hostname(address.host, port: port)),
            onServerRunning: { [onListening, parts] channel in
                await AcceptBackoffHandler.add(to: channel, open: admission.open, metrics: parts.metrics, log: log)
                await onListening(channel.localAddress?.port ?? port)
            },
            logger: log
        )
        try await application.run()
    }
}

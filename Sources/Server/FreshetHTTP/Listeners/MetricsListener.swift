// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
package import FreshetMetrics
import Hummingbird
import HummingbirdCore
import Logging
import ServiceLifecycle

/// Serves `GET /metrics` on a separate address, not on the public one.
package final class MetricsListener: Service {
    private let address: ListenAddress
    private let environment: ListenerEnvironment
    private let samples: @Sendable () -> PrometheusSamples
    /// Called with the port once it is bound, because the system may have chosen it.
    private let onListening: @Sendable (Int) async -> Void

    package init(
        address: ListenAddress,
        environment: ListenerEnvironment,
        samples: @escaping @Sendable () -> PrometheusSamples,
        onListening: @escaping @Sendable (Int) async -> Void
    ) {
        self.address = address
        self.environment = environment
        self.samples = samples
        self.onListening = onListening
    }

    func run() async throws {
        let router = Router()
        router.get("/metrics") { [samples] _, _ in
            Response(
                status: .ok,
                headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: samples().text))
            )
        }
        let (port, log) = (address.port, environment.log)
        let admission = AdmissionController(.operators, open: environment.open)
        let application = Application(
            responder: router.buildResponder(),
            server: HTTPServerBuilder { [limits = environment.limits] responder in
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
            onServerRunning: { [onListening, environment] channel in
                await AcceptBackoffHandler.add(
                    to: channel,
                    open: admission.open,
                    metrics: environment.metrics,
                    log: log
                )
                await onListening(channel.localAddress?.port ?? port)
            },
            logger: log
        )
        try await application.run()
    }
}

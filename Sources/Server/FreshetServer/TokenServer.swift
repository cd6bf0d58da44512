// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetDatabase
package import FreshetEngine
package import FreshetHTTP
import FreshetIdentity
import FreshetMail
import FreshetPages
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

/// A token server, created from its configuration and ready to run.
package struct TokenServer: Sendable {
    let application: Application<RouterResponder<ServerRequestContext>>
    let parts: ServerParts

    /// The connected sockets, and the delivery of messages to them.
    package var sockets: SocketHub { parts.sockets }

    /// Opens the keys and the database, and creates the server's components.
    ///
    /// - Parameters:
    ///   - configuration: The operator's configuration.
    ///   - log: Receives the log records; at `debug`, one for every request.
    ///   - clock: The clocks from which the server's time is derived.
    ///   - environment: The threads, the storage, and the services that run.
    ///   - listener: Receives the messages that clients send over sockets; without a listener they are ignored.
    ///   - onListening: Called once with the port that the server listens on.
    ///   - onMetricsListening: Called once with the port of the metrics, if they are served.
    ///   - onOperatorListening: Called once with the port of the operator pages, if they are served.
    /// - Throws: `StartupError`, or the errors of the file system and the database.
    package init(
        _ configuration: ServerConfiguration,
        log: Logger,
        clock: ClockSource = .system,
        environment: ServerEnvironment = ServerEnvironment(),
        listener: SocketListener? = nil,
        onListening: @escaping @Sendable (Int) async -> Void = { _ in },
        onMetricsListening: @escaping @Sendable (Int) async -> Void = { _ in },
        onOperatorListening: @escaping @Sendable (Int) async -> Void = { _ in }
    ) throws {
        // Before keys and a database are created.
        try configuration.checkOperatorPassword()
        let core = try ServerCore(
            configuration,
            log: log,
            clock: clock,
            environment: environment,
            listener: listener
        )
        let (parts, operations) = (core.parts, configuration.operations)
        application = Application(
            responder: core.responder,
            server: HTTPServerBuilder { core.connection($0) },
            configuration: .init(
                address: .hostname(configuration.host, port: configuration.port),
                // In a burst, connections wait in the kernel's queue. With a short queue, the kernel drops them, and
                // clients retry after one, two, four ... seconds.
                backlog: 4096
            ),
            services: try Self.services(parts, core.envelope, onMetricsListening, onOperatorListening),
            onServerRunning: { channel in
                await AcceptBackoffHandler.add(
                    to: channel,
                    open: parts.admission.open,
                    metrics: parts.metrics,
                    log: log
                )
                OpenFiles.limitConnectionsToDescriptors(
                    of: parts.admission,
                    configured: operations.admission.connections,
                    log: log
                )
                await onListening(channel.localAddress?.port ?? configuration.port)
            },
            logger: log
        )
        self.parts = parts
    }

    /// Returns the services that run in addition to the HTTP server.
    private static func services(
        _ parts: ServerParts,
        _ envelope: RequestEnvelope,
        _ onMetricsListening: @escaping @Sendable (Int) async -> Void,
        _ onOperatorListening: @escaping @Sendable (Int) async -> Void
    ) throws -> [any Service] {
        let configuration = parts.configuration
        var services = parts.maintenance
        if let queue = parts.sessions.notices.mail.queue { services.append(queue) }
        services.append(ReloadOnSIGHUP(keys: parts.keyReloader, certificate: parts.certificate, log: parts.log))
        if let certificate = parts.certificate { services.append(certificate) }
        if let interval = configuration.feedClock {
            services.append(DevelopmentTicker(interval: interval, hub: parts.sockets))
        }
        let environment = ListenerEnvironment(
            limits: configuration.limits,
            open: parts.admission.open,
            metrics: parts.metrics,
            log: parts.log
        )
        if let address = configuration.operations.metrics {
            services.append(
                MetricsListener(
                    address: address,
                    environment: environment,
                    samples: { ServerGauges(parts: parts).samples },
                    onListening: onMetricsListening
                )
            )
        }
        if let address = configuration.operatorPages.listen {
            let password = OperatorPassword(in: configuration.dataDirectory)
            _ = try password.hash()
            services.append(
                OperatorListener(
                    address: address,
                    parts: parts.operatorPages,
                    environment: environment,
                    transport: configuration.pageTransport,
                    isBehindProxy: configuration.operations.isBehindProxy,
                    certificate: parts.certificate,
                    envelope: envelope,
                    password: password,
                    cost: configuration.passwords,
                    limits: configuration.signIn.limits,
                    onListening: onOperatorListening
                )
            )
        }
        return services
    }

    /// Serves until a shutdown, then drains and closes the database.
    ///
    /// Requests in progress may complete within the drain time; a commit that waits for a standby fails after it.
    package func run() async throws {
        let service = DrainingService(
            server: application,
            open: parts.admission.open,
            drain: parts.configuration.operations.drain,
            log: parts.log,
            failWaits: parts.database.failWaitingCommits
        )
        let group = ServiceGroup(services: [service], gracefulShutdownSignals: [.sigterm, .sigint], logger: parts.log)
        do { try await group.run() } catch {
            try? await shutDown()
            throw error
        }
        try await shutDown()
    }

    /// Releases threads and files.
    package func shutDown() async throws { try await parts.shutDown() }
}

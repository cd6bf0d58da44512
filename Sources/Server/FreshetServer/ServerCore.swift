// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
package import FreshetHTTP
import FreshetIdentity
import FreshetPages
package import Hummingbird
package import HummingbirdCore
package import Logging
package import ServiceLifecycle

/// The components and routes of a server, without listeners.
package struct ServerCore: Sendable {
    let parts: ServerParts
    let envelope: RequestEnvelope
    /// Answers a request by its route.
    package let responder: RouterResponder<ServerRequestContext>
    /// Answers the most frequent requests without the router; `nil` if it is turned off.
    let fastPath: FastPathResponder?
    /// The paths at which a request can be upgraded to a WebSocket.
    let endpoints: SocketEndpoints

    /// Opens the keys and the database, and creates the components.
    ///
    /// - Parameters:
    ///   - configuration: The operator's configuration.
    ///   - log: Receives the log records; at `debug`, one for every request.
    ///   - clock: The clocks from which the server's time is derived.
    ///   - environment: The threads and the storage.
    ///   - listener: Receives the messages that clients send over sockets.
    /// - Throws: `StartupError`, or the errors of the file system and the database.
    package init(
        _ configuration: ServerConfiguration,
        log: Logger,
        clock: ClockSource = .system,
        environment: ServerEnvironment = ServerEnvironment(),
        listener: SocketListener? = nil
    ) throws {
        let operations = configuration.operations
        parts = try ServerParts(configuration, log: log, clock: clock, environment: environment)
        let routes = try ServerRoutes(parts, listener: listener)
        endpoints = routes.endpoints
        envelope = RequestEnvelope(
            trustsRequestID: operations.trustsRequestID,
            proxies: configuration.signIn.trustedProxies,
            strictTransport: operations.tls.map { _ in "max-age=31536000" },
            admission: parts.admission,
            metrics: RequestMetrics(parts.metrics),
            log: log
        )
        let router = Router(context: ServerRequestContext.self)
        router.add(middleware: RequestEnvelopeMiddleware(envelope, pages: routes.errorPages))
        routes.table.mount(on: router)
        responder = router.buildResponder()
        fastPath =
            operations.hasFastPath
            ? FastPathResponder(
                sessions: parts.sessions,
                bearer: parts.bearer,
                bodyLimit: configuration.limits.bodyBytes,
                envelope: envelope
            ) : nil
    }

    /// The services that maintain the keys, the database and the clock until their tasks are cancelled.
    package var maintenance: [any Service] { parts.maintenance }

    /// Creates the handler of the public listener's connections.
    ///
    /// - Parameter responder: Answers the requests that do not take the fast path.
    /// - Returns: The handler.
    package func connection(_ responder: @escaping HTTPChannelHandler.Responder) -> ServerConnection {
        ServerConnection(
            responder: responder,
            limits: parts.configuration.limits,
            admission: parts.admission,
            certificate: parts.certificate,
            endpoints: endpoints,
            fastPath: fastPath,
            log: parts.log
        )
    }
}

extension ServerParts {
    /// The services that maintain the keys, the database and the clock.
    var maintenance: [any Service] {
        let services: [any Service] = [
            audit, cleanup, keyReloader, revocations,
            ClockMonitor(clock: clock, database: database, log: log, interval: environment.clockInterval),
            metricsRecorder,
        ]
        return services.filter(environment.runsService)
    }
}

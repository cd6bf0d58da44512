// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetAppBackends
import FreshetTesting
import HummingbirdCore
package import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import UnixSignals

/// A server on this machine for the fake of an app's backend, with fault injection.
///
/// It listens on two ports of 127.0.0.1. The second is the other origin, the target of redirects, to which clients must
/// not send tokens.
package struct BackendServer: Service {
    /// The names of the available backends.
    package static let backends = AppBackend.App.allCases.map(\.rawValue)

    /// The fake backend that is served.
    package let backend: AppBackend
    private let port: Int
    private let log: Logger
    private let onListening: @Sendable (String) async -> Void

    /// Creates the fake backend.
    ///
    /// - Parameters:
    ///   - configuration: The user's settings.
    ///   - log: The logger; at `debug` it gets a record per request.
    ///   - onListening: Called once, with the URL of the backend.
    /// - Throws: `BackendServerError`.
    package init(
        _ configuration: BackendServerConfiguration,
        log: Logger,
        onListening: @escaping @Sendable (String) async -> Void = { _ in }
    ) throws(BackendServerError) {
        guard let app = AppBackend.App(rawValue: configuration.backend) else {
            throw .unknownBackend(configuration.backend)
        }
        guard 0...65_535 ~= configuration.port else { throw .unusablePort(configuration.port) }
        backend = AppBackend(app)
        port = configuration.port
        self.log = log
        self.onListening = onListening
        do {
            try backend.settings.merge(lifetimes: configuration.accessLifetime, configuration.refreshLifetime)
            if let settings = configuration.settings { try backend.settings.merge(settings) }
        } catch { throw .unreadableSettings(error.summary) }
        do {
            if let faults = configuration.faults {
                backend.script = try JSONDecoder().decode(FaultScript.self, from: faults)
            }
        } catch { throw .unreadableFaults(error.summary) }
    }

    /// Serves until graceful shutdown, which releases held responses and closes sockets.
    package func run() async throws {
        let (otherPorts, otherPort) = AsyncStream.makeStream(of: Int.self)
        let other = listener(on: 0, isOther: true) { port in otherPort.yield(port) }
        let own = listener(on: port, isOther: false) { port in
            guard let other = await otherPorts.first(where: { _ in true }) else { return }
            backend.settings.otherOrigin = "http://127.0.0.1:\(other)"
            await onListening("http://127.0.0.1:\(port)")
        }
        try await withGracefulShutdownHandler {
            try await ServiceGroup(services: [other, own], logger: log).run()
        } onGracefulShutdown: {
            backend.clearFaults()
            backend.release()
            backend.closeSockets(reason: "the backend stops")
        }
    }

    /// Serves until SIGTERM or SIGINT.
    package func runService() async throws {
        try await ServiceGroup(
            configuration: .init(services: [self], gracefulShutdownSignals: [.sigterm, .sigint], logger: log)
        ).run()
    }

    private func listener(
        on port: Int,
        isOther: Bool,
        onListening: @escaping @Sendable (Int) async -> Void
    ) -> any Service {
        let exchange = BackendConnection(backend: backend, control: isOther ? nil : ControlPaths(backend), log: log)
        return BackendChannel(exchange).server(
            configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in await onListening(channel.localAddress?.port ?? port) },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: log
        )
    }
}

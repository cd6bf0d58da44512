// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetEngine
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore

/// A token server, put together from its configuration and ready to run.
package struct TokenServer: Sendable {
    let application: Application<RouterResponder<ServerRequestContext>>
    let parts: ServerParts

    /// Who is connected, and how messages reach them.
    package var sockets: SocketHub { parts.sockets }

    /// Opens keys and database, and joins the parts.
    ///
    /// - Parameters:
    ///   - configuration: What the operator decided.
    ///   - log: Where records go; at `debug` every request is one.
    ///   - clock: The server's clock.
    ///   - listener: Takes what clients send over their sockets; without one it is passed over.
    ///   - onListening: Called once with the port that the server listens on.
    /// - Throws: `StartupError`, or whatever the file system and the database say.
    package init(
        _ configuration: ServerConfiguration,
        log: Logger,
        clock: @escaping @Sendable () -> Timestamp = Timestamp.system,
        listener: SocketListener? = nil,
        onListening: @escaping @Sendable (Int) async -> Void = { _ in }
    ) throws {
        let parts = try ServerParts(configuration, log: log, clock: clock)
        let routes = try ServerRoutes(parts, listener: listener)
        let router = Router(context: ServerRequestContext.self)
        router.add(middleware: ErrorAnswers(log: log))
        router.add(middleware: RequesterReading(proxies: configuration.signIn.trustedProxies))
        routes.table.mount(on: router)
        application = Application(
            responder: router.buildResponder(),
            server: HTTPServerBuilder { [limits = configuration.limits, doors = routes.doors] responder in
                SocketChannel(responder: responder, limits: limits, doors: doors, log: log)
            },
            configuration: .init(address: .hostname(configuration.host, port: configuration.port)),
            services: configuration.feedClock.map { [FeedClock(interval: $0, hub: parts.sockets)] } ?? [],
            onServerRunning: { channel in await onListening(channel.localAddress?.port ?? configuration.port) },
            logger: log
        )
        self.parts = parts
    }

    /// Serves until told to stop, then answers what is under way and closes the database.
    package func run() async throws {
        do { try await application.runService() } catch {
            try? await shutDown()
            throw error
        }
        try await shutDown()
    }

    /// Lets go of threads and files.
    package func shutDown() async throws { try await parts.shutDown() }
}

extension Timestamp {
    /// The machine's wall clock.
    package static let system: @Sendable () -> Timestamp = {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }
}

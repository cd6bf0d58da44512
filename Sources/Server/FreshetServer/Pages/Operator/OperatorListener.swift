// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import Hummingbird
import HummingbirdCore
import Logging
import ServiceLifecycle

/// Answers `/operator` at an address of its own, which is not the public one.
final class OperatorListener: Service {
    private let address: ListenAddress
    private let parts: ServerParts
    private let hasher: PasswordHasher
    private let site: PageSite
    private let table: RouteTable
    /// Told the port once it is open; for a port that the system chose.
    private let onListening: @Sendable (Int) async -> Void

    init(
        address: ListenAddress,
        parts: ServerParts,
        onListening: @escaping @Sendable (Int) async -> Void
    ) {
        self.address = address
        self.parts = parts
        self.onListening = onListening
        var transport = PageTransport(parts.configuration)
        // Loopback is this machine's own, with or without a certificate for other names.
        if address.isLoopback { transport.hasTLS = parts.configuration.operations.isBehindProxy }
        let hasher = PasswordHasher(parts.configuration.passwords)
        self.hasher = hasher
        let links = [
            PageSite.Link(OperatorAuthentication.home, "Overview"),
            PageSite.Link(SessionExplorer.home, "Why signed out?"),
        ]
        let site = PageSite(
            name: "Freshet operator",
            home: OperatorAuthentication.home,
            word: "operator",
            transport: transport,
            links: links
        )
        self.site = site
        let authentication = OperatorAuthentication(
            site: site,
            password: OperatorPassword(in: parts.configuration.dataDirectory),
            sessions: OperatorSessions(),
            hasher: hasher,
            limiter: parts.sessions.notices.limiter,
            limits: parts.configuration.signIn.limits,
            events: parts.sessions.events,
            clock: parts.clock.now
        )
        var table = RouteTable()
        site.addAssets(to: &table)
        authentication.add(to: &table)
        OperatorOverview(parts: parts, authentication: authentication).add(to: &table)
        SessionExplorer(parts: parts, authentication: authentication).add(to: &table)
        OperatorActions(parts: parts, authentication: authentication).add(to: &table)
        // Whoever types the address alone means the pages.
        table.page(.get, "/") { _, _ in PageResponse.seeOther(OperatorAuthentication.home) }
        self.table = table
    }

    func run() async throws {
        let configuration = parts.configuration
        let router = Router(context: ServerRequestContext.self)
        let certificate = address.isLoopback ? nil : parts.certificate
        router.add(
            middleware: RequestTracing(
                trustsRequestID: configuration.operations.trustsRequestID,
                strictTransport: certificate.map { _ in "max-age=31536000" },
                proxies: configuration.signIn.trustedProxies,
                metrics: parts.metrics
            )
        )
        router.add(middleware: ErrorMiddleware(log: parts.log, metrics: parts.metrics, sites: [site]))
        table.mount(on: router)
        let port = address.port
        let log = parts.log
        let admission = AdmissionController(.operators, open: parts.admission.open)
        let application = Application(
            responder: router.buildResponder(),
            server: HTTPServerBuilder { responder in
                ServerConnection(
                    responder: responder,
                    limits: configuration.limits,
                    admission: admission,
                    certificate: certificate,
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
        do { try await application.run() } catch {
            try? await hasher.shutDown()
            throw error
        }
        try await hasher.shutDown()
    }
}

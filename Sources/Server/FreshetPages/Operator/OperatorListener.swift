// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
package import FreshetHTTP
package import FreshetIdentity
import Hummingbird
import HummingbirdCore
import Logging
import ServiceLifecycle

/// Serves the operator pages on a separate address, not on the public one.
package final class OperatorListener: Service {
    private let address: ListenAddress
    private let environment: ListenerEnvironment
    /// The TLS certificate; `nil` if the listener does not terminate TLS itself.
    private let certificate: TLSCertificate?
    private let envelope: RequestEnvelope
    private let hasher: PasswordHasher
    private let site: PageSite
    private let table: RouteTable
    /// Called with the port once it is bound, because the system may have chosen it.
    private let onListening: @Sendable (Int) async -> Void

    /// Creates a listener for the operator pages.
    ///
    /// - Parameters:
    ///   - address: The address to listen on.
    ///   - parts: The services that the pages show and act on.
    ///   - environment: The limits and counters that all listeners share.
    ///   - transport: The transport by which requests reach the pages, on an address that is not loopback.
    ///   - isBehindProxy: Whether a proxy in front terminates TLS.
    ///   - certificate: The server's certificate; not used on a loopback address.
    ///   - envelope: The handling of requests on the public listener.
    ///   - password: The operators' password.
    ///   - cost: The cost of hashing the password.
    ///   - limits: The limits of sign-in attempts.
    ///   - onListening: Called with the port once the listener is bound.
    package init(
        address: ListenAddress,
        parts: OperatorPagesParts,
        environment: ListenerEnvironment,
        transport: PageTransport,
        isBehindProxy: Bool,
        certificate: TLSCertificate?,
        envelope: RequestEnvelope,
        password: OperatorPassword,
        cost: PasswordCost,
        limits: SignInRateLimits,
        onListening: @escaping @Sendable (Int) async -> Void
    ) {
        self.address = address
        self.environment = environment
        self.onListening = onListening
        var transport = transport
        // Loopback needs no TLS, and the certificate is for other host names.
        if address.isLoopback { transport.hasTLS = isBehindProxy }
        self.certificate = address.isLoopback ? nil : certificate
        var envelope = envelope
        envelope.strictTransport = self.certificate.map { _ in "max-age=31536000" }
        envelope.admission = AdmissionController(.operators, open: environment.open)
        self.envelope = envelope
        let hasher = PasswordHasher(cost)
        self.hasher = hasher
        let links = [
            PageSite.Link(OperatorAuthentication.home, "Overview"),
            PageSite.Link(SessionExplorer.home, "Why signed out?"),
        ]
        let site = PageSite(
            name: "Freshet operator",
            home: OperatorAuthentication.home,
            cookieName: "operator",
            transport: transport,
            links: links
        )
        self.site = site
        let authentication = OperatorAuthentication(
            site: site,
            password: password,
            sessions: OperatorSessions(),
            hasher: hasher,
            limiter: parts.sessions.notices.limiter,
            limits: limits,
            events: parts.sessions.events,
            clock: parts.clock.now
        )
        var table = RouteTable()
        site.addAssets(to: &table)
        authentication.add(to: &table)
        OperatorOverview(parts: parts, authentication: authentication).add(to: &table)
        SessionExplorer(parts: parts, authentication: authentication).add(to: &table)
        OperatorActions(parts: parts, authentication: authentication).add(to: &table)
        // A request for the root is redirected to the pages.
        table.page(.get, "/") { _, _ in PageResponse.seeOther(OperatorAuthentication.home) }
        self.table = table
    }

    func run() async throws {
        let router = Router(context: ServerRequestContext.self)
        router.add(middleware: RequestEnvelopeMiddleware(envelope, pages: [site.errorPage]))
        table.mount(on: router)
        let port = address.port
        let log = environment.log
        let admission = envelope.admission
        let application = Application(
            responder: router.buildResponder(),
            server: HTTPServerBuilder { [limits = environment.limits, certificate] responder in
                ServerConnection(
                    responder: responder,
                    limits: limits,
                    admission: admission,
                    certificate: certificate,
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
        do { try await application.run() } catch {
            try? await hasher.shutDown()
            throw error
        }
        try await hasher.shutDown()
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetContractServer
package import FreshetDatabase
package import FreshetEngine
package import FreshetHTTP
package import FreshetIdentity
package import FreshetMail
package import FreshetPages
import FreshetSystem

/// The operator's configuration of a token server, as plain values.
package struct ServerConfiguration: Sendable {
    /// The address on which the server listens.
    ///
    /// It is loopback by default, because a proxy usually terminates TLS.
    package var host = "127.0.0.1"
    /// The port; 0 lets the system choose, and the readiness line reports the chosen port.
    package var port = 8080
    /// The folder of the database and the keys.
    ///
    /// The folder is created with mode 0700 if it is missing.
    package var dataDirectory: URL
    /// A PostgreSQL database, which several servers can share; `nil` for SQLite in the data folder.
    package var database: PostgresConfiguration?
    /// The time for which a starting server waits for another one to release the data folder's database.
    ///
    /// It is longer than a server takes to stop.
    package var lockTimeout = Duration.seconds(15)
    /// Whether the keys may be used with another database from now on.
    package var allowsNewDatabase = false
    /// The `iss` of access tokens.
    ///
    /// It must not change across restarts: otherwise tokens that were issued before are refused.
    package var issuer = "http://localhost"
    /// The `aud` of access tokens.
    package var audience = "api"
    package var lifetimes = Lifetimes()
    package var mail = MailConfiguration.log
    /// Whether settings that are suitable only for development are refused.
    package var isProduction = false
    package var limits = RequestLimits()
    package var passwords = PasswordCost()
    package var signIn = SignInConfiguration()

    package var operations = OperationsConfiguration()
    package var sockets = SocketLimits()
    package var pages = PagesConfiguration()
    /// The origins whose pages may open sockets, such as `https://app.example.com`.
    ///
    /// Only browsers send an origin.
    package var allowedOrigins: Set<String> = []
    /// The interval at which every socket is sent a number; `nil` for never.
    ///
    /// It is for development without an application that sends messages.
    package var feedClock: Duration?

    /// The contracts that are served in addition to the native one.
    package var contracts: [ServedContract] = []
    /// The URL at which Apple publishes its keys.
    package static let appleAddress = AppleKeys.address
    /// Apple's public keys (RFC 7517), a file or a URL; `nil` disables Sign in with Apple.
    package var appleKeys: URL?
    /// The bundle or service ids of the apps whose identity tokens are accepted.
    package var appleAudiences: Set<String> = []

    /// A file with the registered OAuth clients; without it, any client id is accepted unauthenticated.
    package var oauthClients: URL?
    package var keys = KeyConfiguration()
    package var operatorPages = OperatorPagesConfiguration()

    package init(dataDirectory: URL) {
        self.dataDirectory = dataDirectory
    }

    /// Validates the configuration; refuses settings that would put users at risk.
    package func validate() throws {
        let isSafe = operations.tls != nil || operations.isBehindProxy || operations.allowsInsecureListening
        if !isSafe && !ListenAddress.isLoopback(host) { throw ServerStartupError.insecureListening(host) }
        try validatePorts()
        // Without a trusted proxy, all clients would share one source address, and any of them could use up its rate
        // limit.
        if operations.isBehindProxy && signIn.trustedProxies.isEmpty { throw ServerStartupError.noTrustedProxy }
        if isProduction && mail.backend == .log { throw ServerStartupError.logMailInProduction }
        try operatorPages.validate(hasTLS: operations.tls != nil || operations.isBehindProxy)
        try mail.validate()
        try signIn.validate()
        try pages.validate()
        if isProduction && feedClock != nil { throw ServerStartupError.feedClockInProduction }
        if isProduction && !Self.isPublicIssuer(issuer) { throw ServerStartupError.localIssuerInProduction(issuer) }
        guard Self.isIssuer(issuer) else { throw ServerStartupError.notAnIssuer(issuer) }
        for origin in allowedOrigins where !Self.isOrigin(origin) { throw ServerStartupError.notAnOrigin(origin) }
        guard lifetimes.access > .zero, lifetimes.idle > .zero, lifetimes.absolute > .zero, lifetimes.code > .zero
        else {
            throw ServerStartupError.lifetimeNotPositive
        }
        guard lifetimes.canRefresh else { throw ServerStartupError.accessOutlivesSession(lifetimes, contract: nil) }
        guard feedClock.map({ $0 > .zero }) ?? true else { throw ServerStartupError.feedClockNotPositive }
        guard lifetimes.code <= .seconds(600) else { throw ServerStartupError.codeLifetimeTooLong }
        try keys.validate()
        guard (appleKeys == nil) == appleAudiences.isEmpty else { throw IdentityStartupError.appleIncomplete }
        if let url = appleKeys, !url.isFileURL, !AppleKeys.isSafe(url) {
            throw IdentityStartupError.unsafeAppleKeys(url.absoluteString)
        }
        try validateContracts()
    }

    private func validateContracts() throws {
        var routes = OpenAPIDocument.routeRegistry
        for (index, contract) in contracts.enumerated() {
            try contract.validate()
            let lifetimes = contract.lifetimes(over: lifetimes)
            guard lifetimes.canRefresh else {
                throw ServerStartupError.accessOutlivesSession(lifetimes, contract: contract.name)
            }
            let others = contracts[..<index].filter { $0.name == contract.name }
            // Sessions are stored by the contract's name, so a name must identify one contract.
            guard others.allSatisfy({ $0.document == contract.document }) else {
                throw ServedContractError("two contracts are called '\(contract.name)'")
            }
            guard !others.contains(where: { $0.prefix == contract.prefix }) else {
                throw ServedContractError(
                    "the contract '\(contract.name)' is given twice with one path: leave one out, or give it a prefix of its "
                        + "own, as in --contract \(contract.name)=/\(contract.name)"
                )
            }
            try contract.claimRoutes(in: &routes)
        }
    }

    /// Checks that no two listeners have the same port at the same address.
    private func validatePorts() throws(ServerStartupError) {
        let all = ["0.0.0.0", "::"]
        var taken = [(host: host, port: port)]
        let others = [("metrics-listen", operations.metrics), ("operator-listen", operatorPages.listen)]
        for (setting, address) in others {
            // Port 0 stands for any free one.
            guard let address, address.port != 0 else { continue }
            let isTaken = taken.contains { host, port in
                port == address.port && (host == address.host || all.contains(host) || all.contains(address.host))
            }
            if isTaken { throw .sharedPort(setting, address.port) }
            taken.append((address.host, address.port))
        }
    }

    /// Whether a text is an issuer's URL (RFC 8414 section 2); http is allowed for development.
    private static func isIssuer(_ text: String) -> Bool {
        guard let url = URL(string: text), let host = url.host(percentEncoded: true), !host.isEmpty else {
            return false
        }
        return ["http", "https"].contains(url.scheme?.lowercased()) && url.query == nil && url.fragment == nil
    }

    /// Whether an issuer is reachable for other machines: https (RFC 8414 section 2) and not a local host.
    private static func isPublicIssuer(_ text: String) -> Bool {
        guard let url = URL(string: text), url.scheme?.lowercased() == "https",
            var host = url.host(percentEncoded: true)?.lowercased(), !host.isEmpty
        else { return false }
        if host.hasSuffix(".") { host.removeLast() }
        let isLocal = host == "localhost" || host.hasSuffix(".localhost") || ListenAddress.isLoopback(host)
        return !isLocal && host != "0.0.0.0" && host != "::"
    }

    /// Whether a text is an origin as browsers send it (RFC 6454 section 6.2), ignoring case.
    private static func isOrigin(_ text: String) -> Bool {
        guard let url = URL(string: text), let scheme = url.scheme, let host = url.host(percentEncoded: true) else {
            return false
        }
        let name = host.contains(":") ? "[\(host)]" : host
        return text == "\(scheme)://\(name)" + (url.port.map { ":\($0)" } ?? "")
    }
}

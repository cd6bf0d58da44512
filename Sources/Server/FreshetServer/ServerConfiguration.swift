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

/// Everything an operator decides about a token server, as plain values.
package struct ServerConfiguration: Sendable {
    /// Where the server listens.
    ///
    /// Loopback unless told otherwise: TLS usually ends in front of it.
    package var host = "127.0.0.1"
    /// 0 lets the system choose; the readiness line tells which it was.
    package var port = 8080
    /// Holds the database and the keys.
    ///
    /// Made with mode 0700 if it is missing.
    package var dataDirectory: URL
    /// A PostgreSQL database, which several servers may share; without it the data folder holds one of SQLite's.
    package var database: PostgresConfiguration?
    /// How long a server that starts waits for another one to release the data folder, where that holds the database.
    ///
    /// Longer than a server takes to stop.
    package var lockTimeout = Duration.seconds(15)
    /// Whether the keys go with another database from now on than before.
    package var allowsNewDatabase = false
    /// The `iss` of access tokens.
    ///
    /// It must stay the same over restarts, or tokens that are out are refused.
    package var issuer = "http://localhost"
    /// The `aud` of access tokens.
    package var audience = "api"
    package var lifetimes = Lifetimes()
    package var mail = MailConfiguration.log
    /// Refuses what is only fit for development.
    package var isProduction = false
    package var limits = RequestLimits()
    package var passwords = PasswordCost()
    package var signIn = SignInConfiguration()

    package var operations = OperationsConfiguration()
    package var sockets = SocketLimits()
    package var pages = PagesConfiguration()
    /// The origins whose pages may open sockets, such as `https://app.example.com`; clients other than browsers name none.
    package var allowedOrigins: Set<String> = []
    /// How often every socket is sent a number; `nil` for never.
    ///
    /// A feed to develop against, without an application that has something to say.
    package var feedClock: Duration?

    /// Whose own clients are served beside the native ones.
    package var contracts: [ServedContract] = []
    /// Where Apple publishes its keys.
    package static let appleAddress = AppleKeys.address
    /// Apple's public keys (RFC 7517), a file or an address; without them nobody signs in with Apple.
    package var appleKeys: URL?
    /// The apps, by their bundle or service ids, whose identity tokens are taken.
    package var appleAudiences: Set<String> = []

    /// A file with the OAuth clients that are known; without it anybody may be one, and nobody proves it.
    package var oauthClients: URL?
    package var keys = KeyConfiguration()
    package var operatorPages = OperatorPagesConfiguration()

    package init(dataDirectory: URL) {
        self.dataDirectory = dataDirectory
    }

    /// Refuses a configuration that would put users at risk.
    package func validate() throws {
        let isSafe = operations.tls != nil || operations.isBehindProxy || operations.allowsInsecureListening
        if !isSafe && !ListenAddress.isLoopback(host) { throw ServerStartupError.insecureListening(host) }
        // Without one, all clients would be one source, whose failed attempts any of them can use up for all.
        if operations.isBehindProxy && signIn.trustedProxies.isEmpty { throw ServerStartupError.noTrustedProxy }
        if isProduction && mail.backend == .log { throw ServerStartupError.logMailInProduction }
        try operatorPages.validate(hasTLS: operations.tls != nil || operations.isBehindProxy)
        try mail.validate()
        try signIn.validate()
        try pages.validate()
        if isProduction && feedClock != nil { throw ServerStartupError.feedClockInProduction }
        if isProduction && !Self.isPublicIssuer(issuer) { throw ServerStartupError.localIssuerInProduction(issuer) }
        for origin in allowedOrigins where !Self.isOrigin(origin) { throw ServerStartupError.notAnOrigin(origin) }
        guard lifetimes.access > .zero, lifetimes.idle > .zero, lifetimes.absolute > .zero, lifetimes.code > .zero
        else {
            throw ServerStartupError.lifetimeNotPositive
        }
        guard feedClock.map({ $0 > .zero }) ?? true else { throw ServerStartupError.feedClockNotPositive }
        guard lifetimes.code <= .seconds(600) else { throw ServerStartupError.codeLifetimeTooLong }
        try keys.validate()
        guard (appleKeys == nil) == appleAudiences.isEmpty else { throw IdentityStartupError.appleIncomplete }
        if let url = appleKeys, !url.isFileURL, !AppleKeys.isSafe(url) {
            throw IdentityStartupError.unsafeAppleKeys(url.absoluteString)
        }
        for (index, contract) in contracts.enumerated() {
            try contract.validate()
            let others = contracts[..<index].filter { $0.name == contract.name }
            // One name is one place for its sessions, so it must mean one contract.
            guard others.allSatisfy({ $0.document == contract.document }) else {
                throw ServedContractError("two contracts are called '\(contract.name)'")
            }
        }
    }

    /// Whether clients elsewhere can reach an issuer: by https (RFC 8414 section 2), and not on their own machine.
    private static func isPublicIssuer(_ text: String) -> Bool {
        guard let url = URL(string: text), url.scheme?.lowercased() == "https",
            var host = url.host(percentEncoded: true)?.lowercased(), !host.isEmpty
        else { return false }
        if host.hasSuffix(".") { host.removeLast() }
        let isLocal = host == "localhost" || host.hasSuffix(".localhost") || ListenAddress.isLoopback(host)
        return !isLocal && host != "0.0.0.0" && host != "::"
    }

    /// Whether browsers may write an origin this way (RFC 6454 section 6.2), but for the casing.
    private static func isOrigin(_ text: String) -> Bool {
        guard let url = URL(string: text), let scheme = url.scheme, let host = url.host(percentEncoded: true) else {
            return false
        }
        let name = host.contains(":") ? "[\(host)]" : host
        return text == "\(scheme)://\(name)" + (url.port.map { ":\($0)" } ?? "")
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetEngine
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
    package func validate() throws(StartupError) {
        let isSafe = operations.tls != nil || operations.isBehindProxy || operations.allowsInsecureListening
        if !isSafe && !ListenAddress.isLoopback(host) { throw .insecureListening(host) }
        // Without one, all clients would be one source, whose failed attempts any of them can use up for all.
        if operations.isBehindProxy && signIn.trustedProxies.isEmpty { throw .noTrustedProxy }
        if isProduction && mail.backend == .log { throw .logMailInProduction }
        try operatorPages.validate(operations)
        try mail.validate()
        try signIn.validate()
        try pages.validate()
        if isProduction && feedClock != nil { throw .feedClockInProduction }
        if isProduction && !Self.isPublicIssuer(issuer) { throw .localIssuerInProduction(issuer) }
        for origin in allowedOrigins where !Self.isOrigin(origin) { throw .notAnOrigin(origin) }
        guard lifetimes.access > .zero, lifetimes.idle > .zero, lifetimes.absolute > .zero, lifetimes.code > .zero
        else {
            throw .lifetimeNotPositive
        }
        guard feedClock.map({ $0 > .zero }) ?? true else { throw .feedClockNotPositive }
        guard lifetimes.code <= .seconds(600) else { throw .codeLifetimeTooLong }
        try keys.validate()
        guard (appleKeys == nil) == appleAudiences.isEmpty else { throw .appleIncomplete }
        if let url = appleKeys, !url.isFileURL, !AppleKeys.isSafe(url) { throw .unsafeAppleKeys(url.absoluteString) }
        for (index, contract) in contracts.enumerated() {
            try contract.validate()
            let others = contracts[..<index].filter { $0.name == contract.name }
            // One name is one place for its sessions, so it must mean one contract.
            guard others.allSatisfy({ $0.document == contract.document }) else {
                throw .contract("two contracts are called '\(contract.name)'")
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

/// What one connection may ask of the server.
package struct RequestLimits: Equatable, Sendable {
    /// No route may take more: what comes beyond it is dropped by the connection's guard.
    package var bodyBytes = 16 * 1024
    package var headerBytes = 16 * 1024
    package var headTimeout = Duration.seconds(10)
    /// From the arrival of the head to the end of the body; nothing that arrives meanwhile moves it.
    package var bodyTimeout = Duration.seconds(15)
    package var idleTimeout = Duration.seconds(60)
    /// How long a client may take nothing of a response that waits to be written.
    package var writeTimeout = Duration.seconds(15)

    package init() {}
}

/// What a password costs to check.
package struct PasswordCost: Equatable, Sendable {
    /// scrypt's N is two to this power: 15 took 190 ms and 32 MiB where it was measured.
    package var logN = 15
    /// Hashes at work at one time.
    package var workers = 1
    /// Hashes waiting for a worker; more are refused with 429, because each holds memory and a promise.
    package var queue = 32

    package init() {}
}

/// Why a server does not start.
package enum StartupError: Error, Equatable, Sendable, CustomStringConvertible {
    case logMailInProduction
    /// No trusted proxy is configured behind a proxy.
    case noTrustedProxy
    case localIssuerInProduction(String)
    case feedClockInProduction
    case feedClockNotPositive
    case notAnOrigin(String)
    case lifetimeNotPositive
    case codeLifetimeTooLong
    case unsafeFolder(String)
    case unsafeKeyFile(String)
    case unreadableKeyFile(String)
    case unsafeDatabase(String)
    case unreadableCertificate(String)
    case insecureListening(String)
    case insecureOperatorPages(String)
    case noOperatorPassword(String)
    case newerSchema(String)
    case olderSchema(String)
    case noDatabase(String)
    /// Another server works on the data folder's database.
    case folderInUse(String)
    /// The database is empty, and the folder's keys were used with one that was not.
    case lostDatabase(String)
    /// The folder's keys were used with another database.
    case foreignDatabase(String)
    /// The database's sessions rest on MAC keys of these numbers, and they are not here.
    case missingKeys(String, [UInt8])
    /// The MAC keys of these numbers are not those that the database's sessions rest on.
    case differentKeys(String, [UInt8])
    /// The MAC key in use was retired: an older copy of the keys is in the folder's place.
    case retiredKey(String, UInt8)
    /// Citus spreads these tables.
    case distributedTables([String])
    case notDurable
    /// PostgreSQL answers before anything is on disk, whoever asks.
    case postgresNotDurable
    case notAPostgresAddress
    /// The database does not answer, or lets nobody in; the sentence says why.
    case database(String)
    /// The database has a program of its own that copies it.
    case backupUnsupported
    case appleIncomplete
    /// Mail could not leave, or not safely; the sentence says why.
    case mail(String)
    case unreadableAppleKeys(String)
    case unreadableClients(String)
    case rotationTooFast
    /// Keys that an operator gives cannot be used; the sentence says why.
    case keys(String)
    case unsafeAppleKeys(String)
    case sessionLimitNotPositive
    case pagesName(String)
    case unreadablePasswordList(String)
    /// What a contract asks for cannot be; the sentence says why.
    case contract(String)

    private static func names(_ ids: [UInt8]) -> String { ids.map { "mac-\($0)" }.joined(separator: ", ") }

    private static func retirement(_ ids: [UInt8]) -> String {
        "freshet keys retire mac \(ids.first ?? 1) --force --data DIR"
    }

    package var description: String {
        switch self {
        case .logMailInProduction: "--production needs a mail transport other than log: it writes codes to the log"
        case .noTrustedProxy:
            "--behind-proxy needs --trusted-proxy, the address of the proxy: without it all clients count as one, and "
                + "wrong passwords of one client keep all others from signing in"
        case .localIssuerInProduction(let issuer):
            "--production needs an --issuer that clients reach, such as https://auth.example.com; '\(issuer)' is on this "
                + "machine or not https"
        case .feedClockInProduction: "--production has no feed clock: it is a feed for development"
        case .feedClockNotPositive: "a feed clock needs an interval that is longer than nothing"
        case .notAnOrigin(let text): "'\(text)' is no origin: write it as browsers do, as in https://app.example.com"
        case .lifetimeNotPositive: "a lifetime must be longer than nothing"
        case .codeLifetimeTooLong: "a code may live ten minutes at most"
        case .unsafeFolder(let path): PrivateFiles.UnsafeFolder(path: path).description
        case .unsafeKeyFile(let path): "\(path): a key that others may read; chmod 0600 and chown it"
        case .unreadableKeyFile(let path): "\(path): not a key this version can read"
        case .unsafeDatabase(let path): "\(path): others may read or change it; chmod 0600 and chown it"
        case .unreadableCertificate(let path): "\(path): no certificate chain in PEM, or its key is not with it"
        case .insecureListening(let host):
            "\(host) is not loopback, and tokens would cross the network in the clear: give --tls-certificate and "
                + "--tls-key, or say --behind-proxy if something in front speaks TLS, or --insecure-listen"
        case .insecureOperatorPages(let host):
            "\(host) is not loopback, and the operators' password would cross the network in the clear: give "
                + "--tls-certificate and --tls-key, or say --behind-proxy if something in front speaks TLS"
        case .noOperatorPassword(let path):
            "--operator-listen needs a password for operators, in \(path): freshet operator password --data DIR sets it"
        case .newerSchema(let name):
            "the database was written by a newer version (migration \(name)); a schema never goes back: run that version, or restore a backup"
        case .olderSchema(let name):
            "the database is of an older version (migration \(name) is missing); freshet migrate up brings it up to date"
        case .noDatabase(let path): "\(path): there is no database"
        case .appleIncomplete: "Sign in with Apple needs both, Apple's keys and the apps that may use it"
        case .unreadableAppleKeys(let path): "\(path): no key set with a key for ES256 or RS256"
        case .unsafeAppleKeys(let text): "'\(text)': Apple's keys come by https, or from this machine"
        case .sessionLimitNotPositive: "a user must be able to have one session at least"
        case .pagesName(let name):
            "'\(name)' does not fit on the pages: one line of \(PagesConfiguration.longestName) characters at most"
        case .unreadablePasswordList(let path): "\(path): no list of SHA-1 hashes in hex, one a line"
        case .rotationTooFast: "keys are rotated every hour at most"
        case .mail(let sentence), .contract(let sentence), .unreadableClients(let sentence), .keys(let sentence):
            sentence
        case .postgresNotDurable:
            "synchronous_commit is off for this user or database: a crash could undo a logout; set it to on or remote_apply"
        case .database(let sentence): "the database cannot be used: \(sentence)"
        case .notAPostgresAddress: "a database's address looks like postgresql://USER@HOST/NAME"
        case .backupUnsupported: "pg_dump copies a PostgreSQL database"
        case .folderInUse(let path):
            "\(path): another freshet serve works on the SQLite database of this data folder; stop that one, give this one a "
                + "folder of its own, or let both share a PostgreSQL database (--database)"
        case .lostDatabase(let path):
            "the database is empty, and the keys in \(path) were used with one that was not: it may be lost or not mounted; bring "
                + "it back, or start once with --new-database"
        case .foreignDatabase(let path):
            "the keys in \(path) were used with another database: name that one, or start once with --new-database"
        case .missingKeys(let path, let ids):
            "the database's sessions rest on \(Self.names(ids)), which is neither in \(path) nor given by FRESHET_KEYS or "
                + "keys-command: mount the folder of keys that belongs to this database. If a key is lost for good, "
                + "`\(Self.retirement(ids))` gives it up, and its users sign in again"
        case .differentKeys(let path, let ids):
            "\(Self.names(ids)) in \(path), or as FRESHET_KEYS or keys-command give it, is not the key of that number that "
                + "the database's sessions rest on: give all servers on a database the same keys. If the right key is lost "
                + "for good, move this one away, and `\(Self.retirement(ids))` gives the lost one up"
        case .retiredKey(let path, let id):
            "mac-\(id) in \(path) is in use there, and the database records it as retired: the folder is an older copy; put the "
                + "newer keys there"
        case .distributedTables(let names):
            "Citus distributes \(names.joined(separator: ", ")), which Freshet does not support: endings and sign-ins could be "
                + "lost or contradict each other; use a database whose tables stay on one node (undistribute_table)"
        case .notDurable: "SQLite does not keep synchronous=FULL: a crash could undo a logout"
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetContract
package import FreshetEngine
import HTTPTypes
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore

/// A token server, put together from its configuration and ready to run.
package struct TokenServer: Sendable {
    let application: Application<RouterResponder<ServerRequestContext>>
    let database: SQLiteDatabase
    /// Who is connected, and how messages reach them.
    package let sockets: SocketHub
    private let hasher: PasswordHasher

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
        try configuration.validate()
        let folder = try KeyFolder(in: configuration.dataDirectory)
        let database = try SQLiteDatabase(in: configuration.dataDirectory)
        let sockets = SocketHub(configuration.sockets)
        let sessions = try Self.sessions(configuration, folder, database, sockets, log, clock)
        let hasher = PasswordHasher(configuration.passwords)
        let signingKeys = try folder.signingKeys()
        let bearer = BearerAuthentication(
            verifier: try AccessTokenVerifier(
                keys: signingKeys,
                issuer: configuration.issuer,
                audience: configuration.audience
            ),
            ended: sessions.ended,
            clock: clock
        )

        var table = RouteTable()
        let bodyLimit = configuration.limits.bodyBytes
        let logins = AttemptLimiter(configuration.loginBudget)
        let passwords = PasswordLogin(
            database: database,
            hasher: hasher,
            sessions: sessions,
            limiter: logins,
            clock: clock
        )
        let codes =
            configuration.mail == .none
            ? nil
            : CodeLogin(
                database: database,
                sessions: sessions,
                mail: .log(log),
                key: try folder.codeKey(),
                lifetime: configuration.lifetimes.code,
                requests: AttemptLimiter(configuration.codeBudget),
                tries: logins,
                clock: clock
            )
        LoginRoutes(passwords: passwords, codes: codes, bodyLimit: bodyLimit).add(to: &table)
        RefreshRoutes(sessions: sessions, bodyLimit: bodyLimit).add(to: &table)
        SessionRoutes(sessions: sessions, bearer: bearer).add(to: &table)
        OAuthRoutes(sessions: sessions, bearer: bearer, bodyLimit: bodyLimit).add(to: &table)
        OperationRoutes(
            keySet: JSONWebKeySet(keys: signingKeys.map { JSONWebKey($0.publicKey) }),
            database: database
        ).add(to: &table)
        let apple = try Self.apple(configuration, database, sessions, clock)
        let origins = Set(configuration.allowedOrigins.map { $0.lowercased() })
        func door(_ terms: SocketTerms) -> SocketDoor {
            SocketDoor(terms: terms, bearer: bearer, hub: sockets, origins: origins, listener: listener, log: log)
        }
        var doors = SocketDoors()
        let native = door(try .native())
        SocketRoutes(door: native).add(to: &table)
        doors.add(native)
        var map = RouteMap(table)
        for dialect in configuration.dialects {
            let actions = DialectActions(
                terms: dialect.terms,
                attachment: dialect.contract.attachment,
                passwords: passwords,
                codes: codes,
                apple: apple,
                sessions: sessions,
                bearer: bearer
            )
            let routes = DialectRoutes(dialect: dialect, actions: actions, bodyLimit: bodyLimit)
            try routes.add(to: &table, &map)
            guard let own = try routes.socketTerms().map(door) else { continue }
            try routes.add(own, to: &table, &map)
            doors.add(own)
        }

        let router = Router(context: ServerRequestContext.self)
        router.add(middleware: ErrorAnswers(log: log))
        table.mount(on: router)
        let limits = configuration.limits
        application = Application(
            responder: router.buildResponder(),
            server: HTTPServerBuilder { [doors] responder in
                SocketChannel(responder: responder, limits: limits, doors: doors, log: log)
            },
            configuration: .init(address: .hostname(configuration.host, port: configuration.port)),
            services: configuration.feedClock.map { [FeedClock(interval: $0, hub: sockets)] } ?? [],
            onServerRunning: { channel in await onListening(channel.localAddress?.port ?? configuration.port) },
            logger: log
        )
        self.database = database
        self.hasher = hasher
        self.sockets = sockets
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
    package func shutDown() async throws {
        try await hasher.shutDown()
        try database.close()
    }

    private static func apple(
        _ configuration: ServerConfiguration,
        _ database: SQLiteDatabase,
        _ sessions: SessionRegistry,
        _ clock: @escaping @Sendable () -> Timestamp
    ) throws -> AppleLogin? {
        guard let file = configuration.appleKeys else { return nil }
        do { _ = try IdentityTokenKeys(jwks: try Data(contentsOf: file)) } catch {
            throw StartupError.unreadableAppleKeys(file.path)
        }
        return AppleLogin(
            keys: .file(file),
            audiences: configuration.appleAudiences,
            database: database,
            sessions: sessions,
            clock: clock
        )
    }

    private static func sessions(
        _ configuration: ServerConfiguration,
        _ folder: KeyFolder,
        _ database: SQLiteDatabase,
        _ sockets: SocketHub,
        _ log: Logger,
        _ clock: @escaping @Sendable () -> Timestamp
    ) throws -> SessionRegistry {
        guard let newest = try folder.signingKeys().last else {
            throw StartupError.unreadableKeyFile(folder.url.path)
        }
        let lifetimes = configuration.lifetimes
        let dialects = Dictionary(configuration.dialects.map { ($0.name, $0.lifetimes(over: lifetimes)) }) { $1 }
        let longest = dialects.values.map(\.access).reduce(lifetimes.access, max)
        // A minute more than any token lives, for clocks of several servers that differ.
        let memory = longest + .seconds(60)
        return SessionRegistry(
            database: database,
            policy: RotationPolicy(idleLifetime: lifetimes.idle),
            keys: try folder.tokenKeyRing(),
            signer: try AccessTokenSigner(
                key: newest,
                issuer: configuration.issuer,
                audience: configuration.audience
            ),
            lifetimes: lifetimes,
            dialectLifetimes: dialects,
            ended: EndedSessions(
                memory: memory,
                try database.readNow { [since = clock() + (.zero - memory)] in
                    try SessionTable.ended(since: since, in: $0)
                }
            ),
            sockets: sockets,
            log: log,
            clock: clock
        )
    }
}

extension Timestamp {
    /// The machine's wall clock.
    package static let system: @Sendable () -> Timestamp = {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetEngine
import Logging

/// What a server is made of, joined once at its start: each part knows only those before it.
struct ServerParts: Sendable {
    let configuration: ServerConfiguration
    let log: Logger
    let clock: @Sendable () -> Timestamp
    let database: SQLiteDatabase
    let signingKeys: [P256.Signing.PrivateKey]
    /// Who is connected, and how messages reach them.
    let sockets: SocketHub
    let sessions: SessionRegistry
    let bearer: BearerAuthentication
    let hasher: PasswordHasher
    let mail: MailTransport
    let passwords: PasswordLogin
    /// `nil` if the server sends no mail.
    let codes: CodeLogin?
    /// `nil` if the server knows no keys of Apple's.
    let apple: AppleLogin?

    init(_ configuration: ServerConfiguration, log: Logger, clock: @escaping @Sendable () -> Timestamp) throws {
        try configuration.validate()
        self.configuration = configuration
        self.log = log
        self.clock = clock
        let folder = try KeyFolder(in: configuration.dataDirectory)
        database = try SQLiteDatabase(in: configuration.dataDirectory)
        signingKeys = try folder.signingKeys()
        let sockets = SocketHub(configuration.sockets)
        self.sockets = sockets
        let events = ServerEvents([
            { event in if case .ended(let ids, _, let reason, _) = event { sockets.end(ids, reason) } }
        ])
        sessions = try Self.sessions(configuration, folder, signingKeys, database, events, log, clock)
        bearer = BearerAuthentication(
            verifier: try AccessTokenVerifier(
                keys: signingKeys,
                issuer: configuration.issuer,
                audience: configuration.audience
            ),
            ended: sessions.ended,
            clock: clock
        )
        hasher = PasswordHasher(configuration.passwords)
        mail = try MailTransport(configuration.mail, log: log, clock: clock)
        let logins = AttemptLimiter(configuration.loginBudget)
        passwords = PasswordLogin(
            database: database,
            hasher: hasher,
            sessions: sessions,
            limiter: logins,
            clock: clock
        )
        codes = try Self.codes(configuration, folder, database, sessions, mail, logins, clock)
        apple = try Self.apple(configuration, database, sessions, clock)
    }

    /// Lets go of threads and files.
    func shutDown() async throws {
        await mail.shutDown()
        try await hasher.shutDown()
        try database.close()
    }

    private static func codes(
        _ configuration: ServerConfiguration,
        _ folder: KeyFolder,
        _ database: SQLiteDatabase,
        _ sessions: SessionRegistry,
        _ mail: MailTransport,
        _ tries: AttemptLimiter,
        _ clock: @escaping @Sendable () -> Timestamp
    ) throws -> CodeLogin? {
        guard configuration.mail.carrier != .none else { return nil }
        return CodeLogin(
            database: database,
            sessions: sessions,
            mail: mail,
            key: try folder.codeKey(),
            lifetime: configuration.lifetimes.code,
            requests: AttemptLimiter(configuration.codeBudget),
            tries: tries,
            clock: clock
        )
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
        _ signingKeys: [P256.Signing.PrivateKey],
        _ database: SQLiteDatabase,
        _ events: ServerEvents,
        _ log: Logger,
        _ clock: @escaping @Sendable () -> Timestamp
    ) throws -> SessionRegistry {
        guard let newest = signingKeys.last else { throw StartupError.unreadableKeyFile(folder.url.path) }
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
            events: events,
            log: log,
            clock: clock
        )
    }
}

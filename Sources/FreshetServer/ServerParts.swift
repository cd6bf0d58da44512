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
    let signIn: SignInParts

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
        let notices = Notices(
            mail: try MailTransport(configuration.mail, log: log, clock: clock),
            limiter: try AttemptLimiter(database, now: clock()),
            budget: configuration.signIn.budgets.notices,
            log: log,
            clock: clock
        )
        sessions = try Self.sessions(configuration, folder, signingKeys, database, events, notices, log, clock)
        bearer = BearerAuthentication(
            verifier: try AccessTokenVerifier(
                keys: signingKeys,
                issuer: configuration.issuer,
                audience: configuration.audience
            ),
            ended: sessions.ended,
            clock: clock
        )
        signIn = try SignInParts(configuration, folder, sessions, clock)
    }

    /// Lets go of threads and files.
    func shutDown() async throws {
        await sessions.notices.mail.shutDown()
        try await signIn.hasher.shutDown()
        try database.close()
    }

    private static func sessions(
        _ configuration: ServerConfiguration,
        _ folder: KeyFolder,
        _ signingKeys: [P256.Signing.PrivateKey],
        _ database: SQLiteDatabase,
        _ events: ServerEvents,
        _ notices: Notices,
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
            notices: notices,
            sessionsPerUser: configuration.signIn.sessionsPerUser,
            log: log,
            clock: clock
        )
    }
}

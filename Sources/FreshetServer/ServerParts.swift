// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import Logging

/// What a server is made of, joined once at its start: each part knows only those before it.
struct ServerParts: Sendable {
    let configuration: ServerConfiguration
    let log: Logger
    let clock: ServerClock
    let metrics: ServerMetrics
    let load: ServerLoad
    /// `nil` for a server that speaks no TLS itself.
    let certificate: TLSCertificate?
    let database: any ServerDatabase
    let audit: AuditTrail
    let housekeeper: Housekeeper
    /// What was counted, over time.
    let figures: FigureBook
    let keys: LiveKeys
    let keyWatch: KeyWatch
    /// Who is connected, and how messages reach them.
    let sockets: SocketHub
    let sessions: SessionRegistry
    let bearer: BearerAuthentication
    let signIn: SignInParts
    /// Which OAuth clients there are, and whether one is what it says.
    let clients: ClientAuthentication
    /// Tells resource servers which sessions ended.
    let feed: FeedReader

    init(_ configuration: ServerConfiguration, log: Logger, clock source: ClockSource = .system) throws {
        try configuration.validate()
        self.configuration = configuration
        self.log = log
        let metrics = ServerMetrics(dialects: Set(configuration.dialects.map(\.name)))
        self.metrics = metrics
        let clock = ServerClock(source, metrics: metrics, log: log)
        self.clock = clock
        let now = clock()
        let supply = try configuration.keys.source.map { try KeySupply($0, now: now) }
        let folder = try KeyFolder(in: configuration.dataDirectory, supply: supply)
        try folder.settle(now: now, lead: configuration.keys.lead)
        let operations = configuration.operations
        certificate = try operations.tls.map { try TLSCertificate($0, log: log) }
        load = ServerLoad(operations.load, isBehindProxy: operations.isBehindProxy)
        database = try configuration.openDatabase(metrics) { $0.tell(log) }
        try clock.compare(with: database)
        let audit = AuditTrail(database: database, capacity: operations.auditQueue, log: log)
        self.audit = audit
        housekeeper = Housekeeper(
            database: database,
            configuration: operations,
            log: log,
            clock: clock
        )
        figures = FigureBook(database: database, metrics: metrics, log: log, clock: clock.now)
        let memory = Self.memory(configuration)
        let keys = try LiveKeys(
            folder,
            issuer: configuration.issuer,
            audience: configuration.audience,
            memory: memory,
            now: clock()
        )
        self.keys = keys
        keyWatch = Self.keyWatch(configuration, folder, keys, memory, database, log, clock)
        let sockets = SocketHub(configuration.sockets)
        self.sockets = sockets
        let feed = EndedFeed()
        let events = ServerEvents([
            { event in if case .ended(let ids, _, let reason, _, _) = event { sockets.end(ids, reason) } },
            metrics.note,
            { audit.note($0, clock: clock.now) },
            feed.listener,
        ])
        let notices = Notices(
            mail: try MailTransport(configuration.mail, log: log, clock: clock.now),
            limiter: try AttemptLimiter(database, clock: clock),
            budget: configuration.signIn.budgets.notices,
            log: log,
            clock: clock.now
        )
        sessions = try Self.sessions(configuration, keys, database, events, load, notices, log, clock)
        bearer = BearerAuthentication(keys: keys, ended: sessions.ended, clock: clock.now)
        signIn = try SignInParts(configuration, folder, sessions, clock)
        self.feed = FeedReader(feed: feed, ended: sessions.ended, database: database, clock: clock.now)
        clients = ClientAuthentication(register: try configuration.clientRegister(), hasher: signIn.hasher)
    }

    /// Lets go of threads and files.
    func shutDown() async throws {
        await sessions.notices.mail.shutDown()
        try await signIn.hasher.shutDown()
        // What a client asked that has hung up since is settled all the same, and nobody else waits for that.
        await load.untilIdle()
        await audit.write()
        await figures.write()
        try database.close()
    }

    /// A minute more than any access token lives, for clocks of several servers that differ.
    private static func memory(_ configuration: ServerConfiguration) -> Duration {
        let lifetimes = configuration.lifetimes
        let all = configuration.dialects.map { $0.lifetimes(over: lifetimes).access }
        return all.reduce(lifetimes.access, max) + .seconds(60)
    }

    private static func keyWatch(
        _ configuration: ServerConfiguration,
        _ folder: KeyFolder,
        _ keys: LiveKeys,
        _ memory: Duration,
        _ database: any ServerDatabase,
        _ log: Logger,
        _ clock: ServerClock
    ) -> KeyWatch {
        let administration = KeyAdministration(folder, lead: configuration.keys.lead, memory: memory) { before, now in
            try database.readNow { try SessionTable.hasLive(before: before, now: now, in: $0) }
        }
        return KeyWatch(
            keys: keys,
            administration: administration,
            configuration: configuration.keys,
            log: log,
            clock: clock
        )
    }

    private static func sessions(
        _ configuration: ServerConfiguration,
        _ keys: LiveKeys,
        _ database: any ServerDatabase,
        _ events: ServerEvents,
        _ load: ServerLoad,
        _ notices: Notices,
        _ log: Logger,
        _ clock: ServerClock
    ) throws -> SessionRegistry {
        let lifetimes = configuration.lifetimes
        let dialects = Dictionary(configuration.dialects.map { ($0.name, $0.lifetimes(over: lifetimes)) }) { $1 }
        let memory = memory(configuration)
        return SessionRegistry(
            database: database,
            policy: RotationPolicy(idleLifetime: lifetimes.idle),
            live: keys,
            lifetimes: SessionLifetimes(native: lifetimes, dialects: dialects),
            ended: EndedSessions(
                memory: memory,
                try database.readNow { [since = clock.reading().earliest + (.zero - memory)] in
                    try SessionTable.ended(since: since, in: $0)
                }
            ),
            events: events,
            notices: notices,
            sessionsPerUser: configuration.signIn.sessionsPerUser,
            limits: RefreshLimits(configuration.operations.load, load: load),
            jitter: configuration.operations.load.jitter,
            log: log,
            clock: clock
        )
    }
}

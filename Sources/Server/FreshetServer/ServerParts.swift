// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContractServer
import FreshetDatabase
import FreshetEngine
import FreshetHTTP
import FreshetIdentity
import FreshetMail
import FreshetMetrics
import FreshetPages
import Logging

/// The components of a server, created at its start; each depends only on those before it.
struct ServerParts: Sendable {
    let configuration: ServerConfiguration
    let environment: ServerEnvironment
    let log: Logger
    let clock: ServerClock
    let metrics: ServerMetrics
    let admission: AdmissionController
    /// The TLS certificate; `nil` for a server that does not terminate TLS.
    let certificate: TLSCertificate?
    let database: any ServerDatabase
    let audit: AuditTrail
    let cleanup: CleanupService
    /// Records the history of the metrics.
    let metricsRecorder: MetricsRecorder
    let keys: CurrentKeys
    let keyReloader: KeyReloader
    /// The connected sockets, and the delivery of messages to them.
    let sockets: SocketHub
    let sessions: SessionRegistry
    let bearer: BearerAuthentication
    let signIn: SignInParts
    /// Authenticates the registered OAuth clients.
    let clients: ClientAuthentication
    /// Finds the sessions that other processes ended.
    let revocations: RevocationPoller
    /// Serves the ended sessions to resource servers.
    let feed: RevocationFeedReader

    init(
        _ configuration: ServerConfiguration,
        log: Logger,
        clock source: ClockSource = .system,
        environment: ServerEnvironment = ServerEnvironment()
    ) throws {
        try configuration.validate()
        self.configuration = configuration
        self.log = log
        let metrics = ServerMetrics()
        self.metrics = metrics
        let sessionMetrics = SessionMetrics(metrics, contracts: Set(configuration.contracts.map(\.name)))
        let clock = ServerClock(source, metrics: metrics, log: log)
        self.clock = clock
        self.environment = environment
        var now = clock()
        let externalKeys = try configuration.keys.source.map { try ExternalKeyProvider($0, now: now) }
        var folder = try KeyDirectory(
            in: configuration.dataDirectory,
            externalKeys: externalKeys,
            createsKeys: false
        )
        let operations = configuration.operations
        certificate = try operations.tls.map { try TLSCertificate($0, log: log) }
        admission = AdmissionController(operations.admission, isBehindProxy: operations.isBehindProxy)
        database = try environment.openDatabase(configuration, metrics) { $0.log(log) }
        // Compared before any decision, because key schedules and session expiry depend on the time.
        let registry: KeyRegistry
        do {
            try clock.compare(with: database)
            now = clock()
            registry = try Self.registry(configuration, &folder, database, log, now)
        } catch {
            try? database.close()
            throw error
        }
        let audit = AuditTrail(database: database, capacity: operations.auditQueue, log: log)
        self.audit = audit
        let maximumTokenLifetime = Self.maximumTokenLifetime(configuration)
        cleanup = CleanupService(
            database: database,
            configuration: operations.retention,
            maximumTokenLifetime: maximumTokenLifetime,
            log: log,
            clock: clock
        )
        metricsRecorder = MetricsRecorder(database: database, metrics: metrics, log: log, clock: clock.now)
        let keys = try CurrentKeys(
            registry,
            issuer: configuration.issuer,
            audience: configuration.audience,
            maximumTokenLifetime: maximumTokenLifetime,
            now: clock()
        )
        self.keys = keys
        keyReloader = Self.keyReloader(
            configuration,
            folder,
            keys,
            maximumTokenLifetime,
            database,
            log,
            clock,
            environment.executor
        )
        let sockets = SocketHub(configuration.sockets)
        self.sockets = sockets
        let feed = RevocationFeed()
        let events = ServerEvents(
            [
                { event in
                    guard case .revoked(let revocations) = event else { return }
                    for revocation in revocations { sockets.end([revocation.session], revocation.reason) }
                },
                sessionMetrics.record,
                { audit.record($0, clock: clock.now) },
                feed.listener,
            ] + environment.eventListeners
        )
        let notices = AccountNotifier(
            mail: try Self.mail(configuration, folder, database, metrics, log, clock.now),
            limiter: try RateLimiter(
                database,
                metrics: metrics,
                log: log,
                clock: clock,
                capacity: environment.rateLimiterCapacity
            ),
            limit: configuration.signIn.limits.notices,
            log: log,
            clock: clock.now
        )
        var sessions = try Self.sessions(configuration, keys, database, events, admission, notices, log, clock)
        sessions.observer = environment.sessionObserver
        self.sessions = sessions
        bearer = BearerAuthentication(
            keys: keys,
            ended: sessions.ended,
            check: environment.accessTokenCheck,
            clock: clock.now
        )
        signIn = try SignInParts(configuration, folder, sessions, clock, environment.executor)
        revocations = RevocationPoller(sessions: sessions, log: log)
        self.feed = RevocationFeedReader(feed: feed, revocations: revocations)
        clients = ClientAuthentication(
            registry: try configuration.clientRegistry(),
            hasher: PasswordHasher(configuration.passwords, executor: environment.executor),
            networks: ClientNetworks(database),
            limiter: notices.limiter,
            limits: configuration.signIn.limits,
            clock: clock.now
        )
        // All keys exist at this point.
        try registry.compareOthers(now: now, log: log)
    }

    /// Releases threads and files.
    func shutDown() async throws {
        await sessions.notices.mail.shutDown()
        try await signIn.hasher.shutDown()
        try await clients.hasher.shutDown()
        // Operations of disconnected clients still complete, and only the shutdown waits for them.
        await admission.waitUntilIdle()
        await audit.write()
        await metricsRecorder.write()
        try database.close()
    }

    /// The maximum lifetime of an access token, plus a minute for servers whose clocks differ.
    private static func maximumTokenLifetime(_ configuration: ServerConfiguration) -> Duration {
        let lifetimes = configuration.lifetimes
        let all = configuration.contracts.map { $0.lifetimes(over: lifetimes).access }
        return all.reduce(lifetimes.access, max) + .seconds(60)
    }

    /// Compares the existing keys with the database, before any key is created or recorded.
    private static func registry(
        _ configuration: ServerConfiguration,
        _ folder: inout KeyDirectory,
        _ database: any ServerDatabase,
        _ log: Logger,
        _ now: Timestamp
    ) throws -> KeyRegistry {
        let registry = try KeyRegistry(
            admitting: &folder,
            to: database,
            allowsNewDatabase: configuration.allowsNewDatabase,
            log: log
        )
        try folder.recordExternalKeys(now: now, activationDelay: configuration.keys.activationDelay)
        for kind in try folder.forgetLostKeys(now: now) {
            log.warning("a key's file is missing; the key is given up", metadata: ["kind": "\(kind.rawValue)"])
        }
        return registry
    }

    private static func mail(
        _ configuration: ServerConfiguration,
        _ folder: KeyDirectory,
        _ database: any ServerDatabase,
        _ metrics: ServerMetrics,
        _ log: Logger,
        _ clock: @escaping @Sendable () -> Timestamp
    ) throws -> MailTransport {
        let store = try MailSeal(codeKeys: folder.codeKeys()).map { seal in
            MailStore(database: database, seal: seal, isShared: configuration.database != nil)
        }
        let mail = try MailTransport(configuration.mail, store: store, metrics: metrics, log: log, clock: clock)
        // Registered before the first mail is stored: otherwise another server would consider it the mail of a stopped
        // server.
        try mail.queue?.store?.register()
        return mail
    }

    private static func keyReloader(
        _ configuration: ServerConfiguration,
        _ folder: KeyDirectory,
        _ keys: CurrentKeys,
        _ maximumTokenLifetime: Duration,
        _ database: any ServerDatabase,
        _ log: Logger,
        _ clock: ServerClock,
        _ executor: BlockingExecutor?
    ) -> KeyReloader {
        let administration = KeyAdministration(
            folder,
            activationDelay: configuration.keys.activationDelay,
            maximumTokenLifetime: maximumTokenLifetime,
            database: KeyDatabase(database)
        )
        return KeyReloader(
            keys: keys,
            administration: administration,
            configuration: configuration.keys,
            log: log,
            clock: clock,
            executor: executor
        )
    }

    private static func sessions(
        _ configuration: ServerConfiguration,
        _ keys: CurrentKeys,
        _ database: any ServerDatabase,
        _ events: ServerEvents,
        _ admission: AdmissionController,
        _ notices: AccountNotifier,
        _ log: Logger,
        _ clock: ServerClock
    ) throws -> SessionRegistry {
        let lifetimes = configuration.lifetimes
        let contracts = Dictionary(configuration.contracts.map { ($0.name, $0.lifetimes(over: lifetimes)) }) { $1 }
        let maximumTokenLifetime = maximumTokenLifetime(configuration)
        return SessionRegistry(
            database: database,
            policy: RotationPolicy(idleLifetime: lifetimes.idle),
            live: keys,
            lifetimes: SessionLifetimes(native: lifetimes, contracts: contracts),
            ended: RevokedSessionCache(
                maximumTokenLifetime: maximumTokenLifetime,
                try database.readNow { [since = clock.reading().earliest + (.zero - maximumTokenLifetime)] in
                    try SessionTable.ended(since: since, in: $0)
                }
            ),
            events: events,
            notices: notices,
            sessionsPerUser: configuration.signIn.sessionsPerUser,
            limits: RefreshRateLimiter(configuration.operations.admission, isLimited: admission.isLimited),
            jitter: configuration.operations.admission.jitter,
            log: log,
            clock: clock
        )
    }
}

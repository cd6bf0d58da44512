// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetDatabase
package import FreshetEngine
import FreshetMail
package import FreshetWire
package import Logging

/// The sessions of this server: applies the engine's decisions atomically and signs the tokens.
package struct SessionRegistry: Sendable {
    package let database: any ServerDatabase
    let policy: RotationPolicy
    let live: CurrentKeys
    package let lifetimes: SessionLifetimes
    package let ended: RevokedSessionCache
    package let events: ServerEvents
    package let notices: AccountNotifier
    /// The maximum number of sessions per user; `nil` for no limit.
    var sessionsPerUser: Int?
    let lostCommits = RollForwardCounter()
    let unknownKeys = UnknownKeyAlarm()
    let limits: RefreshRateLimiter
    package let supersededTokens = SupersededTokenCache()
    /// The maximum fraction by which an access token's lifetime is shortened at random.
    var jitter = 0.0
    private let randomPool = RandomPool()
    let log: Logger
    package let clock: ServerClock
    /// Receives the decisions of a simulated server; `nil` in production.
    package var observer: SessionObserver?

    package init(
        database: any ServerDatabase,
        policy: RotationPolicy,
        live: CurrentKeys,
        lifetimes: SessionLifetimes,
        ended: RevokedSessionCache,
        events: ServerEvents,
        notices: AccountNotifier,
        sessionsPerUser: Int? = nil,
        limits: RefreshRateLimiter,
        jitter: Double = 0.0,
        log: Logger,
        clock: ServerClock,
        observer: SessionObserver? = nil
    ) {
        self.database = database
        self.policy = policy
        self.live = live
        self.lifetimes = lifetimes
        self.ended = ended
        self.events = events
        self.notices = notices
        self.sessionsPerUser = sessionsPerUser
        self.limits = limits
        self.jitter = jitter
        self.log = log
        self.clock = clock
        self.observer = observer
    }

    package var keys: TokenKeyRing { live.current.ring }
    private var signer: AccessTokenSigner { live.current.signer }

    // MARK: - Beginning

    /// A session about to be stored, with its first refresh token.
    package struct NewSession: Sendable {
        var row: SessionRow
        var token: RefreshToken
        /// Whether the session may end another one of the user when the session limit is exceeded.
        package var countsTowardLimit = true
        /// The client that signed in.
        var source: SourceAddress?
    }

    /// Prepares a session; the caller stores its row in the transaction that verifies the sign-in.
    func start(for user: User, sessionPolicy: SessionPolicy, device: Device) -> NewSession {
        restart(
            SessionRow.start(
                user: user.id,
                mode: sessionPolicy.mode,
                contract: sessionPolicy.contract,
                device: device.trimmed,
                lifetimes: lifetimes.of(sessionPolicy.contract),
                keyID: keys.currentID,
                now: clock()
            )
        )
    }

    /// Recreates the first refresh token of a stored session, for a sign-in whose response was lost.
    package func restart(_ row: SessionRow) -> NewSession {
        let body = RefreshTokenPayload(keyID: row.rotation.successorKeyID, session: row.id, generation: 0)
        return NewSession(row: row, token: keys.token(body, salt: row.salt))
    }

    /// Logs and publishes a committed sign-in.
    func publishSignIn(_ start: NewSession, user: User) {
        var metadata: Logger.Metadata = ["session": "\(start.row.id)", "user": "\(SessionID(user.id))"]
        metadata["by"] = start.row.method.map { "\($0)" }
        metadata["place"] = start.row.place.map { "\($0)" }
        log.info("login", metadata: metadata.naming(start.row.contract))
        events.emit(.login(ServerEvent.SessionFacts(start.row)))
    }

    /// Returns the tokens of a sign-in.
    func grant(_ start: NewSession, user: User) throws -> SessionTokens {
        try grant(start.token, start.row, UserInfo(id: SessionID(user.id).description, email: user.email?.text))
    }

    // MARK: - Refresh tokens

    /// Returns a refresh token's session, if a refresh with the token would succeed now; changes nothing.
    package func session(of token: RefreshToken) async throws -> SessionRow? {
        let reading = clock.reading()
        let now = reading.now
        let row = try await database.read { try SessionTable.find(token.session, in: $0) }
        publishFoundEnd(of: row)
        guard try row?.endReason(at: reading) == nil else { return nil }
        if let row, !row.rotation.mode.isKnown, row.ending == nil {
            throw APIError(.refused(.unsupportedMode))
        }
        return row.flatMap { policy.wouldServe($0, token: token, now: now, keys: keys) ? $0 : nil }
    }

    /// Parses a token, before any query.
    package static func parse(_ text: String) throws(APIError) -> RefreshToken {
        do { return try RefreshToken(text) } catch {
            switch error {
            case .unknownVersion(let version) where version > RefreshTokenPayload.version:
                // A newer server issued the token, so the refusal must not be final.
                throw APIError(.unavailable, "a token of a later version", retryAfter: .seconds(30))
            case .unknownVersion, .malformed:
                throw APIError(.invalidGrant, "not a refresh token of this server")
            }
        }
    }

    // MARK: - Listing

    package func list(of user: UUID) async throws -> [SessionRow] {
        let now = clock()
        return try await database.read { try SessionTable.live(of: user, at: now, in: $0) }
    }

    // MARK: - Granting

    /// Signs an access token and returns it with a stored refresh token.
    func grant(_ token: RefreshToken, _ row: SessionRow, _ user: UserInfo) throws -> SessionTokens {
        let now = clock()
        // An access token never outlives its session. A contract's lifetime is set by the app and is not shortened.
        let jitter = row.contract == nil ? jitter : 0
        let end = min(
            now + lifetimes.of(row.contract).access.jittered(by: jitter, chance: randomPool.chance()),
            row.absoluteExpiry
        )
        let claims = AccessClaims(
            user: row.user,
            session: row.id,
            client: row.client,
            issuedAt: now,
            expiresAt: end,
            authenticatedAt: row.createdAt
        )
        var grant = SessionTokens(
            accessToken: try signer.sign(claims),
            expiresIn: (end - now).wholeSeconds,
            refreshToken: token.text,
            refreshExpiresIn: max(0, (row.end - now).wholeSeconds),
            sessionID: row.id,
            user: user,
            serverTime: now.seconds
        )
        grant.refreshAfter = (end - now).refreshHint(spread: jitter, chance: randomPool.chance())?.wholeSeconds
        return grant
    }
}

extension Device {
    /// The device with shortened fields, because clients choose their contents.
    ///
    /// A row stores at most a hundred characters (400 bytes) of each field, and no characters that control the output
    /// or the text direction.
    fileprivate var trimmed: Device {
        func cut(_ text: String?) -> String? {
            text.map { String($0.withoutControls.prefix(100)).prefix(bytes: 400) }
        }
        return Device(
            name: cut(name),
            platform: cut(platform),
            model: cut(model),
            app: cut(app),
            appVersion: cut(appVersion)
        )
    }
}

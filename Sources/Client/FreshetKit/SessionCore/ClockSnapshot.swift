// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// One reading of all clocks.
struct ClockSnapshot: Equatable, Sendable {
    /// The time on the session's own clock.
    var now: Duration
    /// The device's wall-clock time.
    var wall: Date
    /// The time since the system was started, if it is available.
    var boot: BootTime?
}

extension SessionClock {
    var snapshot: ClockSnapshot { ClockSnapshot(now: now(), wall: wall(), boot: boot()) }
}

extension TimedAccessToken {
    /// Creates the token of a new grant; its lifetime is counted from the request.
    init(_ grant: SessionGrant, of sessionID: String, askedAt: ClockSnapshot, cause: Cause) {
        let end = askedAt.wall.addingTimeInterval(grant.lifetime.inSeconds)
        self.init(
            token: AccessToken(value: grant.accessToken, expiresAt: end, sessionID: sessionID),
            askedAt: askedAt.now,
            expiresAt: askedAt.now + grant.lifetime,
            cause: cause
        )
        refreshHint = grant.refreshAfter.map { askedAt.now + $0 }
        source = grant.expirySource
    }

    /// Creates the token of a session read from the store.
    ///
    /// If the token's age is unknown, it counts as expired, so that the session is refreshed.
    init(_ session: StoredSession, at moment: ClockSnapshot) {
        let lifetime = min(max(session.lifetime, 0), Self.longest)
        let age = session.age(at: moment)
        let used = age.map { max($0, 0) } ?? lifetime
        let askedAt = moment.now - .seconds(used)
        self.init(
            token: AccessToken(
                value: session.accessToken,
                expiresAt: moment.wall.addingTimeInterval(lifetime - used),
                sessionID: session.id
            ),
            askedAt: askedAt,
            expiresAt: askedAt + .seconds(lifetime),
            cause: .signIn
        )
        if age == nil || lifetime == 0 { source = .unknown }
    }

    /// Ten years, in seconds.
    fileprivate static let longest: Double = 10 * 365 * 86_400
}

extension StoredTime {
    init(_ moment: ClockSnapshot) {
        self.init(
            wall: moment.wall.timeIntervalSince1970,
            sinceBoot: moment.boot?.elapsed.inSeconds,
            boot: moment.boot?.boot
        )
    }

    /// Whether it is later than a time that belongs to the current run of the system.
    ///
    /// A time of an earlier run is earlier.
    func isAfter(_ time: StoredTime) -> Bool {
        guard let sinceBoot, let boot, let other = time.sinceBoot else { return wall > time.wall }
        return boot == time.boot && sinceBoot > other
    }
}

extension StoredSession {
    /// Whether a sign-in that returned this session was requested after `moment`.
    func wasSignedIn(after moment: ClockSnapshot) -> Bool {
        let moment = StoredTime(moment)
        if let signedIn { return signedIn.isAfter(moment) }
        // Tokens of a refresh say nothing about the time of the sign-in.
        return generation == 0 && requestedAt.isAfter(moment)
    }

    /// Whether these tokens were requested after others, which a process of the current run of the system requested.
    func wasRequested(after other: StoredSession) -> Bool { requestedAt.isAfter(other.requestedAt) }

    private var requestedAt: StoredTime { StoredTime(wall: askedAt, sinceBoot: askedSinceBoot, boot: boot) }

    /// The time since the access token was requested, in seconds; `nil` if it is unknown.
    ///
    /// Within one run of the system, the boot clock measures it exactly. After a restart, it is the difference of two
    /// readings of the wall clock: a constant error cancels out, and the age is unknown if the clock was set back.
    fileprivate func age(at moment: ClockSnapshot) -> Double? {
        if let asked = askedSinceBoot, let now = moment.boot, boot == now.boot {
            let age = now.elapsed.inSeconds - asked
            return age >= 0 ? min(age, TimedAccessToken.longest) : nil
        }
        let age = moment.wall.timeIntervalSince1970 - askedAt
        return age > -5 && age < TimedAccessToken.longest ? age : nil
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// One reading of both clocks.
struct Moment: Equatable, Sendable {
    /// Time on the session's own clock.
    var now: Duration
    /// What the device believes the date to be.
    var wall: Date
}

extension SessionClock {
    var moment: Moment { Moment(now: now(), wall: wall()) }
}

extension LiveToken {
    /// The token of a session just granted, counted from when it was asked for.
    init(_ grant: SessionGrant, askedAt: Moment, cause: Cause) {
        let end = askedAt.wall.addingTimeInterval(grant.lifetime.inSeconds)
        self.init(
            token: AccessToken(value: grant.accessToken, expiresAt: end),
            askedAt: askedAt.now,
            expiresAt: askedAt.now + grant.lifetime,
            cause: cause
        )
    }

    /// The token of a session read back.
    ///
    /// Only the difference of two readings of this device's wall clock counts, so a clock that is wrong all the time
    /// does no harm. One that was set back in between makes the age unknown, and the token counts as expired.
    init(_ session: StoredSession, at moment: Moment) {
        let age = moment.wall.timeIntervalSince1970 - session.askedAt
        let isAgeKnown = age > -5 && age < 10 * 365 * 86_400
        let lifetime = min(max(session.lifetime, 0), 10 * 365 * 86_400)
        let used = isAgeKnown ? max(age, 0) : lifetime
        let askedAt = moment.now - .seconds(used)
        self.init(
            token: AccessToken(
                value: session.accessToken,
                expiresAt: moment.wall.addingTimeInterval(lifetime - used)
            ),
            askedAt: askedAt,
            expiresAt: askedAt + .seconds(lifetime),
            cause: .signIn
        )
    }
}

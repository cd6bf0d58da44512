// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetDatabase
package import FreshetEngine
import FreshetMail
package import FreshetWire
import Logging

extension SessionRegistry {
    /// A session that is stored, and what its beginning brought about.
    package struct OpenedSession: Sendable {
        package var start: NewSession
        package var user: User
        /// What the answer says of the account.
        package var facts: SignInSummary
        /// Sessions that ended for it, because the user had too many.
        var endedForLimit: [SessionID] = []
        /// Whom to tell that there is a new device; `nil` if there is none.
        var notificationRecipient: EmailAddress?
    }

    /// Prepares a session of somebody who has just proved who he is.
    package func start(
        for user: User,
        sessionPolicy: SessionPolicy,
        device: Device?,
        from requester: Requester,
        by method: SignInMethod
    ) -> NewSession {
        var start = start(for: user, sessionPolicy: sessionPolicy, device: device ?? Device())
        start.row.place = requester.place
        start.row.method = method.rawValue
        start.source = requester.source
        return start
    }

    /// Stores a session in the transaction of whatever opened the door.
    package func open(_ start: NewSession, of user: User, in database: any SQLConnection) throws -> OpenedSession {
        let row = start.row
        try SessionTable.insert(row, in: database)
        let facts = try UserTable.recordSignIn(user.id, opening: row.id, in: database)
        var opening = OpenedSession(start: start, user: user, facts: facts)
        if let sessionsPerUser, start.countsTowardLimit {
            opening.endedForLimit = try SessionTable.endLeastRecentlyUsed(
                beyond: sessionsPerUser,
                for: row,
                in: database
            )
        }
        if let email = user.email, let place = row.place {
            try KnownNetworkTable.accounts.insert(place, of: email, at: row.createdAt, in: database)
        }
        if try KnownDeviceTable.record(row.device, of: user.id, at: row.createdAt, in: database) {
            opening.notificationRecipient = try user.email ?? AppleAccountTable.mailAddress(of: user.id, in: database)
        }
        return opening
    }

    /// Tells of a session that is on disk, and grants its tokens.
    package func grant(_ opening: OpenedSession) throws -> SessionTokens {
        announce(opening)
        var grant = try grant(opening.start, user: opening.user)
        grant.isNewUser = opening.facts.isFirst
        grant.hasProfile = opening.facts.hasProfile
        return grant
    }

    /// Tells of a session that is on disk.
    package func announce(_ opening: OpenedSession) {
        let row = opening.start.row
        publishEnd(of: opening.endedForLimit, row.user, .sessionLimit, at: row.createdAt)
        notices.send(opening.notificationRecipient, from: opening.start.source) {
            .newDevice(row.device, place: row.place, to: $0, at: $1)
        }
        publishSignIn(opening.start, user: opening.user)
    }

    /// The session that a refresh token is or was of, if it is of the account with this address: whoever shows it holds a
    /// device that the account knows.
    ///
    /// A session that ended because something was wrong with it vouches for nobody. What is read depends on the proof
    /// alone: the time that takes tells nothing of an address to whoever holds no token of its account.
    ///
    /// - Returns: `nil` if it proves nothing.
    package func knownDevice(_ proof: String?, of email: EmailAddress) async throws -> KnownDevice? {
        guard let proof, let token = try? RefreshToken(proof),
            let row = try await database.read({ try SessionTable.find(token.session, in: $0) }),
            keys.verdict(on: token, salt: row.salt) == .genuine
        else { return nil }
        guard row.ending?.reason.details.cause.leavesDeviceTrusted ?? true else { return nil }
        let holder = try await database.read { try UserTable.find(row.user, in: $0) }
        return holder?.email == email ? .session(token.session) : nil
    }

    /// Where an attempt to sign in comes from, as limits tell attempts apart.
    ///
    /// One lookup by address and network, whether or not the address has an account: the time tells nothing.
    package func origin(
        of email: EmailAddress,
        _ requester: Requester,
        device: KnownDevice? = nil
    ) async throws -> SignInRateLimits.Origin {
        var origin = SignInRateLimits.Origin(account: email, source: requester.source, device: device)
        guard let place = requester.place else { return origin }
        let oldest = clock.reading().earliest + (.zero - KnownNetworkTable.lifetime)
        origin.isKnownNetwork = try await database.read {
            try KnownNetworkTable.accounts.has(place, of: email, since: oldest, in: $0)
        }
        return origin
    }
}

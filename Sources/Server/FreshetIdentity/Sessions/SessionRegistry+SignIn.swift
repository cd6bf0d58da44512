// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetDatabase
import FreshetEngine
import FreshetMail
import FreshetWire
import Logging

extension SessionRegistry {
    /// A stored session, with the other effects of its sign-in.
    package struct OpenedSession: Sendable {
        var start: NewSession
        package let user: User
        /// The description of the account in the response.
        var facts: SignInSummary
        /// Sessions that ended because the user's session limit was exceeded.
        var endedForLimit: [SessionID] = []
        /// The recipient of a notice of a new device; `nil` if the device is known or there is no address.
        var notificationRecipient: EmailAddress?
    }

    /// Prepares a session of a user who has just authenticated.
    func start(
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

    /// Stores a session, in the transaction that verified the sign-in.
    func open(_ start: NewSession, of user: User, in database: any SQLConnection) throws -> OpenedSession {
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

    /// Publishes a committed session and issues its tokens.
    func grant(_ opening: OpenedSession) throws -> SessionTokens {
        announce(opening)
        var grant = try grant(opening.start, user: opening.user)
        grant.isNewUser = opening.facts.isFirst
        grant.hasProfile = opening.facts.hasProfile
        return grant
    }

    /// Publishes a committed session.
    package func announce(_ opening: OpenedSession) {
        let row = opening.start.row
        observer?(.opened(row))
        publishEnd(of: opening.endedForLimit, row.user, .sessionLimit, at: row.createdAt)
        notices.send(opening.notificationRecipient, from: opening.start.source) {
            .newDevice(row.device.reported(to: opening.user), place: row.place, to: $0, at: $1)
        }
        publishSignIn(opening.start, user: opening.user)
    }

    /// Returns the session of a refresh token as a known device, if the session's account has this address.
    ///
    /// The reads depend only on the proof, so that their duration reveals nothing about an address to a client without
    /// a token of its account.
    ///
    /// - Returns: The device; `nil` if the token is not accepted as proof.
    func knownDevice(_ proof: String?, of email: EmailAddress) async throws -> KnownDevice? {
        guard let proof, let token = try? RefreshToken(proof),
            let row = try await database.read({ try SessionTable.find(token.session, in: $0) }),
            keys.verdict(on: token, salt: row.salt) == .genuine
        else { return nil }
        let account = try await database.read { try UserTable.devices(of: row.user, in: $0) }
        guard let account, account.email == email, row.showsDevice(token, devicesForgottenAt: account.forgottenAt)
        else {
            return nil
        }
        return .session(token.session)
    }

    /// Returns the origin of a sign-in attempt, by which rate limits distinguish attempts.
    ///
    /// Makes one lookup by address and network, whether or not the address has an account, so that its duration does
    /// not reveal whether there is an account.
    func origin(
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

extension Device {
    /// Returns the device as a mail to its user describes it.
    ///
    /// A client chooses the description, and an address that was not verified may be a stranger's: such a mail has none.
    func reported(to user: User) -> Device {
        user.email == nil || user.isEmailVerified ? self : Device()
    }
}

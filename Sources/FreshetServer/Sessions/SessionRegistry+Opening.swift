// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import GRDB
import Logging

extension SessionRegistry {
    /// A session that is stored, and what its beginning brought about.
    struct Opening: Sendable {
        var start: Start
        var user: User
        /// Sessions that ended for it, because the user had too many.
        var crowdedOut: [SessionID] = []
        /// Whom to tell that there is a new device; `nil` if there is none.
        var tells: EmailAddress?
    }

    /// Prepares a session of somebody who has just proved who he is.
    func start(
        for user: User,
        terms: SessionTerms,
        device: Device?,
        from requester: Requester,
        by method: SignInMethod
    ) -> Start {
        var start = start(for: user, terms: terms, device: device ?? Device())
        start.row.place = requester.place
        start.row.method = method.rawValue
        return start
    }

    /// Stores a session in the transaction of whatever opened the door.
    func open(_ start: Start, of user: User, in database: Database) throws -> Opening {
        let row = start.row
        try SessionTable.insert(row, in: database)
        var opening = Opening(start: start, user: user)
        if let sessionsPerUser, start.crowdsOut {
            let others = try SessionTable.live(of: user.id, at: row.createdAt, in: database).filter { $0.id != row.id }
            for other in others.dropFirst(sessionsPerUser - 1) {
                let ending = SessionRow.Ending(at: row.createdAt, reason: .sessionLimit)
                opening.crowdedOut += try SessionTable.end(of: user.id, only: other.id, ending: ending, in: database)
            }
        }
        if try KnownDeviceTable.note(row.device, of: user.id, at: row.createdAt, in: database) {
            opening.tells = try user.email ?? AppleAccountTable.mailAddress(of: user.id, in: database)
        }
        return opening
    }

    /// Tells of a session that is on disk, and grants its tokens.
    func grant(_ opening: Opening) throws -> Grant {
        announce(opening)
        return try grant(opening.start, user: opening.user)
    }

    /// Tells of a session that is on disk.
    func announce(_ opening: Opening) {
        let row = opening.start.row
        noteEnd(of: opening.crowdedOut, row.user, .sessionLimit, at: row.createdAt)
        notices.tell(opening.tells) { .newDevice(row.device, place: row.place, to: $0, at: $1) }
        tellOfLogin(opening.start, user: opening.user)
    }

    /// The session of `user` that a refresh token is or was of: whoever shows it holds a device that the account knows.
    ///
    /// A session that ended because something was wrong with it vouches for nobody.
    ///
    /// - Returns: `nil` if it proves nothing.
    func knownDevice(_ proof: String?, of user: UUID?) async throws -> String? {
        guard let proof, let user, let token = try? RefreshToken(proof),
            let row = try await database.read({ try SessionTable.find(token.session, in: $0) }),
            row.user == user, keys.verdict(on: token, salt: row.salt) == .genuine
        else { return nil }
        switch row.ending?.reason {
        case nil, .logout, .sessionLimit, .idleTimeout, .absoluteTimeout: return token.session.description
        default: return nil
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetEngine
import FreshetVerification
import FreshetWire
import Logging

/// Takes what Apple tells a server unasked: that a person took the app's permission back, or closed the Apple account.
struct AppleNotifications: Sendable {
    /// Older notices are refused; Apple repeats one that was not taken for some days.
    static let maximumAge = Duration.seconds(7 * 86_400)

    let login: AppleLogin

    /// Acts on a notice that Apple signed.
    func take(_ body: AppleNotificationBody, from requester: Requester) async throws {
        let clock = login.clock.reading()
        let now = clock.now
        try login.limiter.take(login.limits.request(from: requester.source), now: now)
        let known = try await login.keys.known(for: body.payload, log: login.sessions.log)
        let statement: AppleJWT
        do throws(AppleJWT.Fault) {
            statement = try AppleJWT(body.payload, keys: known, audiences: login.audiences, now: now)
        } catch {
            if error.dependsOnClock, !clock.isTrusted { throw APIError.clockNotTrusted }
            throw refused(error.rawValue)
        }
        guard now - statement.issuedAt <= Self.maximumAge else {
            throw clock.isTrusted ? refused("expired") : .clockNotTrusted
        }
        guard let notice = Event(statement) else { throw refused("malformed") }
        let done = try await login.database.durably { database -> Done? in
            let end = statement.issuedAt + Self.maximumAge + AppleJWT.clockSkew
            guard
                try UsedProofTable.markUsed(
                    statement.digest,
                    until: end,
                    for: nil,
                    deletingExpiredBefore: clock.deletionLimit,
                    in: database
                )
            else {
                return nil
            }
            return try Self.act(notice, clock, database)
        }
        login.sessions.log.notice("Apple's notice", metadata: ["kind": "\(notice.kind)", "acted": "\(done != nil)"])
        guard let done else { return }
        login.sessions.publishEnd(of: done.ended, done.user, .providerRevoked, at: now)
    }

    /// What a notice says, whose signature was verified.
    struct Event: Sendable {
        let kind: String
        /// The person whom it is about.
        let subject: String
        let issuedAt: Timestamp

        /// Apple writes the event as a text that holds JSON.
        init?(_ statement: AppleJWT) {
            let value = statement.claims["events"]
            let event = value?.string.flatMap { try? JSONParser.parse(Array($0.utf8)) } ?? value
            guard let object = event?.object, let kind = object["type"]?.string, kind.utf8.count <= 100,
                let subject = object["sub"]?.string
            else { return nil }
            issuedAt = statement.issuedAt
            self.kind = kind
            self.subject = subject
        }
    }

    private struct Done: Sendable {
        var user: UUID
        var ended: [SessionID] = []
    }

    private static func act(
        _ notice: Event,
        _ clock: ClockReading,
        _ database: any SQLConnection
    ) throws -> Done? {
        let issuedAt = notice.issuedAt
        guard let authority = try AccountAuthority(notice, in: database),
            let user = try UserTable.find(authority.user, in: database),
            let linkedAt = try AppleAccountTable.linkedAt(notice.subject, in: database),
            // A notice about an earlier permission must not undo the one that was given since. Apple counts seconds.
            issuedAt + .seconds(1) > linkedAt
        else { return nil }
        switch notice.kind {
        case "email-disabled": try AppleAccountTable.setEmailDisabled(issuedAt, by: authority, in: database)
        case "email-enabled": try AppleAccountTable.setEmailDisabled(nil, by: authority, in: database)
        case "consent-revoked", "account-delete", "account-deleted":
            try AppleAccountTable.delete(by: authority, in: database)
            // Sessions that another way in has opened have nothing to do with Apple.
            let ids = try SessionTable.live(of: user.id, at: clock.earliest, in: database)
                .filter { $0.method == SignInMethod.apple.rawValue || $0.method == nil || user.email == nil }
                .map(\.id)
            let ending = SessionRow.Ending(at: clock.now, reason: .providerRevoked)
            var done = Done(user: user.id)
            for id in ids { done.ended += try SessionTable.end(only: id, ending, by: authority, in: database) }
            return done
        default: return nil
        }
        return Done(user: user.id)
    }

    private func refused(_ fault: String) -> APIError {
        login.sessions.log.notice("Apple's notice refused", metadata: ["fault": "\(fault)"])
        return APIError(.invalidRequest, "not a notice of Apple's for this server")
    }
}

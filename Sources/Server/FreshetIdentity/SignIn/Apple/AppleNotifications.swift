// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetDatabase
import FreshetEngine
import FreshetJWT
package import FreshetWire
import Logging

/// Processes Apple's notifications, such as a revoked consent or a deleted Apple account.
package struct AppleNotifications: Sendable {
    /// Older notifications are refused; Apple retries a notification for some days.
    static let maximumAge = Duration.seconds(7 * 86_400)

    let login: AppleLogin

    package init(login: AppleLogin) {
        self.login = login
    }

    /// Verifies and processes a notification.
    package func take(_ body: AppleNotificationBody, from requester: Requester) async throws {
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
        guard let notice = AppleAccountEvent(statement) else { throw refused("malformed") }
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

    private struct Done: Sendable {
        var user: UUID
        var ended: [SessionID] = []
    }

    private static func act(
        _ notice: AppleAccountEvent,
        _ clock: ClockReading,
        _ database: any SQLConnection
    ) throws -> Done? {
        let issuedAt = notice.issuedAt
        guard let authority = try AccountAuthority(notice, in: database),
            let user = try UserTable.find(authority.user, in: database),
            let linkedAt = try AppleAccountTable.linkedAt(notice.subject, in: database),
            // A notification about an earlier consent must not revoke a newer one. Apple's times are in seconds.
            issuedAt + .seconds(1) > linkedAt
        else { return nil }
        switch notice.kind {
        case "email-disabled": try AppleAccountTable.setEmailDisabled(issuedAt, by: authority, in: database)
        case "email-enabled": try AppleAccountTable.setEmailDisabled(nil, by: authority, in: database)
        case "consent-revoked", "account-delete", "account-deleted":
            try AppleAccountTable.delete(by: authority, in: database)
            // Sessions opened with another sign-in method are not affected.
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

extension AppleAccountEvent {
    /// Reads the event of a verified notification, which Apple encodes as a string of JSON.
    init?(_ statement: AppleJWT) {
        let value = statement.claims["events"]
        let event = value?.string.flatMap { try? JSONParser.parse(Array($0.utf8)) } ?? value
        guard let object = event?.object, let kind = object["type"]?.string, kind.utf8.count <= 100,
            let subject = object["sub"]?.string
        else { return nil }
        self.init(kind: kind, subject: subject, issuedAt: statement.issuedAt)
    }
}

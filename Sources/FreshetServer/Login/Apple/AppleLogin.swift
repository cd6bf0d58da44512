// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import Logging

/// Sign in with Apple: an account for each of Apple's `sub`s.
///
/// The address that Apple tells is shown and opens nothing: it never joins an account that was there before.
struct AppleLogin: Sendable {
    let keys: AppleKeys
    let audiences: Set<String>
    let database: SQLiteDatabase
    let sessions: SessionRegistry
    let clock: @Sendable () -> Timestamp

    /// Signs in with an identity token; the first one of a person makes the account.
    func signIn(_ text: String, nonce: String?, device: Device?, terms: SessionTerms) async throws -> Grant {
        let now = clock()
        let token: IdentityToken
        let known = try await currentKeys()
        do throws(IdentityToken.Fault) {
            token = try IdentityToken(text, keys: known, audiences: audiences, nonce: nonce, now: now)
        } catch {
            let metadata: Logger.Metadata = ["by": "apple", "fault": "\(error.rawValue)"]
            sessions.log.notice("login refused", metadata: metadata.naming(terms.dialect))
            sessions.events.tell(.loginRefused(.init(method: .apple)))
            throw APIError(.invalidGrant, "Apple's identity token is not good here")
        }
        let opened = try await database.writes.durably { [sessions] database in
            let user: User
            if let known = try AppleAccountTable.user(of: token.subject, in: database) {
                user = known
            } else {
                user = User(id: UUID(), email: nil)
                _ = try UserTable.insert(user, at: now, in: database)
                try AppleAccountTable.insert(token.subject, user: user.id, in: database)
            }
            if let email = token.email { try AppleAccountTable.setEmail(email, of: token.subject, in: database) }
            let start = sessions.start(for: user, terms: terms, device: device ?? Device())
            try SessionTable.insert(start.row, in: database)
            return Opened(user: user, start: start)
        }
        return try sessions.grant(opened.start, user: opened.user)
    }

    private struct Opened: Sendable {
        var user: User
        var start: SessionRegistry.Start
    }

    /// Keys that cannot be read now are no verdict on anybody's token.
    private func currentKeys() async throws -> IdentityTokenKeys {
        do { return try await keys.current() } catch {
            sessions.log.error("Apple's keys cannot be read", error: error)
            throw APIError(.unavailable, "Apple's keys cannot be read now", retryAfter: .seconds(30))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import SessionFixtures
import Testing

@testable import FreshetKit

/// Nothing that holds a token prints it.
@Suite struct `Masks` {
    private static let secret = "s3cret-text"

    /// One of each that holds a secret.
    private static var holders: [Any] {
        [
            AccessToken(value: secret, expiresAt: .distantFuture, sessionID: "s"),
            SignInCredentials.password(email: "a@b", password: secret),
            SignInCredentials.emailCode(attempt, code: secret),
            SignInCredentials.tokens(grant),
            grant,
            attempt,
            stored,
            SessionRecord(origin: Fixtures.origin, session: stored).addingPendingLogout(
                stored,
                at: Fixtures.origin,
                .bothTokens
            ),
            PendingLogout(origin: Fixtures.origin, session: stored, credentials: .bothTokens) as Any,
            TokenPair(refreshToken: secret, accessToken: secret),
            TokenRequirement.replacing(live.token),
            ContractValues(["client_secret": secret]),
            RefreshCredentials(stored) as Any,
            CurrentSession(session: stored, token: live, isSaved: true),
            live,
            SessionGrant(accessToken: secret, refreshToken: secret, lifetime: .zero),
            TokenEndpoint.RefreshAnswer.granted(
                SessionGrant(accessToken: secret, refreshToken: secret, lifetime: .zero)
            ),
            HTTPReply(status: 200, headers: ["X-Token": secret], body: Data(secret.utf8)),
            SignInCredentials.appleIdentityToken(secret),
            SignInCredentials.fields(endpoint: "login.x", ["y": secret]),
            SessionStateMachine<String>.Preparation.writeIntent(Fixtures.record(stored), stored) as Any,
        ]
    }

    private static let grant = TokenGrant(accessToken: secret, refreshToken: secret)
    private static let attempt = EmailCodeAttempt(id: secret, email: "a@b", expiresAt: .distantFuture, intent: secret)
    private static let live = TimedAccessToken(
        token: AccessToken(value: secret, expiresAt: .distantFuture, sessionID: "s"),
        askedAt: .zero,
        expiresAt: .zero,
        cause: .signIn
    )
    private static var stored: StoredSession {
        var stored = Fixtures.stored(1, intent: secret)
        stored.accessToken = secret
        stored.refreshToken = secret
        return stored
    }

    @Test(arguments: Self.holders.indices)
    func `a value that holds a secret is printed, dumped and reflected without the secret`(index: Int) {
        let holder = Self.holders[index]
        var dumped = ""
        dump(holder, to: &dumped)
        var printed = ""
        print(holder, [holder], Optional(holder) as Any, to: &printed)
        debugPrint(holder, to: &printed)
        for text in [
            dumped, printed, "\(holder)", String(describing: holder), String(reflecting: holder),
            String(reflecting: [holder]), String(describing: Mirror(reflecting: holder).children.map { $0 }),
        ] {
            #expect(!text.contains(Self.secret), "\(type(of: holder))")
        }
    }

    @Test func `a failing expectation about a token or a record contains no secret`() {
        let token = AccessToken(value: Self.secret, expiresAt: .distantFuture, sessionID: "s")
        let record = Fixtures.record(Self.stored)
        withKnownIssue {
            #expect(token == AccessToken(value: "other", expiresAt: .distantPast, sessionID: "s"))
            #expect(record == Fixtures.record(nil))
        } matching: { issue in
            !"\(issue) \(String(reflecting: issue)) \(issue.comments)".contains(Self.secret)
        }
    }

    @Test func `every session error and every sign-out reason has a description`() {
        for error in [
            SessionError.refused(code: "invalid_grant", message: "Wrong code."), .signedOut(.fork), .signedOut(nil),
            .offline(retryAfter: .seconds(2)), .offline(retryAfter: nil), .misconfigured("odd"),
            .invalidResponse("odd"), .cancelled,
            .storeUnavailable(SessionStoreError(.locked, "locked")),
        ] {
            #expect(!error.description.isEmpty)
        }
        for reason in SignOutReason.allCases { #expect(!reason.description.isEmpty) }
    }
}

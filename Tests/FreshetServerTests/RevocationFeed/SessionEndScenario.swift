// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import IdentityFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity
@testable import FreshetServer

/// The ways in which a session can be ended.
enum SessionEndScenario: String, CaseIterable, Sendable {
    case logout, logoutAll, logoutOthers, deletedByUser, endedByCommand, allEndedByCommand, userDisabled, userDeleted
    case newPassword, resetPassword, provenAddress, fork, staleHolder, appleNotice, sessionLimit
    case signedOutOnPage, othersSignedOutOnPage, allSignedOutOnPage, oauthRevocation

    var reason: EndReason {
        switch self {
        case .logout, .oauthRevocation: .logout
        case .logoutAll, .allSignedOutOnPage: .logoutAll
        case .logoutOthers, .deletedByUser, .newPassword, .resetPassword, .provenAddress, .signedOutOnPage,
            .othersSignedOutOnPage:
            .revokedByUser
        case .endedByCommand, .allEndedByCommand: .revokedByOperator
        case .userDisabled, .userDeleted: .userDisabled
        case .fork: .fork
        case .staleHolder: .staleHolder
        case .appleNotice: .providerRevoked
        case .sessionLimit: .sessionLimit
        }
    }

    /// Whether a command ends the session, in another process than the server.
    var isByCommand: Bool {
        switch self {
        case .endedByCommand, .allEndedByCommand, .userDisabled, .userDeleted: true
        default: false
        }
    }

    /// Where sessions begin and end.
    struct Stage: Sendable {
        /// The server that ends sessions.
        let caller: TestHTTPClient
        let adminService: AdminService
        let apple: AppleUnderTest
        let now: @Sendable () -> Timestamp
        /// Moves the server's clock, which stands still otherwise.
        let advance: @Sendable (Duration) -> Void

        fileprivate func codeGrant(_ email: String) async throws -> SessionTokens {
            let code = try await caller.code(for: email)
            let verification = CodeVerification(attempt: code.attempt, code: code.code)
            return try await caller.post(NativePath.loginCodeVerify, verification).json()
        }

        fileprivate func account(_ email: String) throws -> UUID {
            try #require(try adminService.user(try PasswordLogin.address(email))).id
        }
    }

    private var email: String { "\(rawValue.lowercased())@example.com" }

    /// Opens the session that will end.
    func begin(on stage: Stage) async throws -> SessionTokens {
        switch self {
        case .signedOutOnPage, .othersSignedOutOnPage, .allSignedOutOnPage: return try await stage.codeGrant(email)
        case .appleNotice:
            let nonce = try await stage.caller.send(.post, NativePath.loginAppleNonce).json(AppleNonce.self).nonce
            var claims = AppleUnderTest.Claims(now: stage.now())
            claims.sub = email
            claims.nonce = AppleUnderTest.digest(nonce)
            let credentials = AppleCredentials(identityToken: try await stage.apple.token(claims), nonce: nonce)
            return try await stage.caller.post(NativePath.loginApple, credentials).json()
        default: return try await stage.caller.signUp(email)
        }
    }

    /// Ends it.
    func end(_ grant: SessionTokens, on stage: Stage) async throws {
        let caller = stage.caller
        switch self {
        case .logout: try #require(try await caller.present(NativePath.logout, grant.refreshToken).status == 204)
        case .logoutAll:
            try #require(try await caller.send(.post, NativePath.logoutAll, bearer: grant.accessToken).status == 204)
        case .logoutOthers:
            let other = try await caller.signIn(email)
            try #require(try await caller.send(.post, NativePath.logoutOthers, bearer: other.accessToken).status == 204)
        case .deletedByUser:
            let other = try await caller.signIn(email)
            let path = "\(NativePath.sessions)/\(grant.sessionID)"
            try #require(try await caller.send(.delete, path, bearer: other.accessToken).status == 204)
        case .endedByCommand:
            try #require(try await stage.adminService.end(of: stage.account(email), only: grant.sessionID) == 1)
        case .allEndedByCommand: try #require(try await stage.adminService.end(of: stage.account(email)) == 1)
        case .userDisabled: try #require(try await stage.adminService.disable(stage.account(email)) == 1)
        case .userDeleted: try #require(try await stage.adminService.delete(stage.account(email)) == 1)
        case .newPassword:
            let other = try await caller.signIn(email)
            let update = PasswordUpdate(
                newPassword: "better horse",
                currentPassword: "correct horse",
                endOtherSessions: true
            )
            try #require(try await caller.post(NativePath.password, update, bearer: other.accessToken).status == 204)
        case .resetPassword:
            _ = try await caller.post(NativePath.passwordReset, CodeRequest(email: email))
            let sent = try #require(caller.sentCode("reset code"))
            let update = PasswordUpdate(newPassword: "better horse", attempt: sent.attempt, code: sent.code)
            try #require(try await caller.post(NativePath.password, update).status == 204)
        case .provenAddress: _ = try await stage.codeGrant(email)
        case .fork:
            _ = try await caller.refresh(grant.refreshToken, .random())
            try #require(try await caller.refresh(grant.refreshToken, .random()).error == "400 invalid_grant fork")
        case .staleHolder:
            let next: SessionTokens = try await caller.refresh(grant.refreshToken, .random()).json()
            _ = try await caller.present(NativePath.confirm, next.refreshToken)
            let answer = try await caller.present(NativePath.report, grant.refreshToken)
            try #require(answer.error == "400 invalid_grant stale_holder")
        case .appleNotice:
            let notice = AppleUnderTest.Notice("consent-revoked", of: email, at: stage.now())
            let body = AppleNotificationBody(payload: try await stage.apple.notice(notice))
            try #require(try await caller.post(NativePath.appleNotifications, body).status == 200)
        case .sessionLimit:
            // It is the one that was unused for longest.
            stage.advance(.seconds(1))
            for _ in 1...3 { _ = try await caller.signIn(email) }
        case .signedOutOnPage:
            try await submit("/account/devices/\(grant.sessionID)/sign-out", caller)
        case .othersSignedOutOnPage: try await submit("/account/sign-out-others", caller)
        case .allSignedOutOnPage: try await submit("/account/sign-out-everything", caller)
        case .oauthRevocation:
            let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
            let text = "token=\(grant.refreshToken)&client_id=phone"
            try #require(try await caller.send(.post, NativePath.oauthRevoke, text, headers: form).status == 200)
        }
    }

    private func submit(_ path: String, _ caller: TestHTTPClient) async throws {
        let browser = try Browser(caller)
        try await browser.signIn(email, caller)
        try #require(try await browser.submit(path).location == "/account")
    }
}

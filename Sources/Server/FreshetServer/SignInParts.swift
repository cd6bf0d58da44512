// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetEngine
import FreshetIdentity
import FreshetMail
import FreshetWire
import Logging

/// The components of sign-in, created at the server's start.
struct SignInParts: Sendable {
    let hasher: PasswordHasher
    let passwords: PasswordLogin
    let passwordChange: PasswordChange
    /// The sign-in with mailed codes; `nil` if the server sends no mail.
    let codes: CodeLogin?
    /// The sign-in with Apple; `nil` if the server has no keys from Apple.
    let apple: AppleLogin?
    let links: AccountLinking

    init(
        _ configuration: ServerConfiguration,
        _ folder: KeyDirectory,
        _ sessions: SessionRegistry,
        _ clock: ServerClock,
        _ executor: BlockingExecutor?
    ) throws {
        let (database, notices) = (sessions.database, sessions.notices)
        let limits = configuration.signIn.limits
        let key = try folder.codeKey()
        hasher = PasswordHasher(configuration.passwords, executor: executor)
        passwords = PasswordLogin(
            database: database,
            hasher: hasher,
            sessions: sessions,
            limiter: notices.limiter,
            limits: limits,
            rules: PasswordRules(breached: try configuration.signIn.breachedPasswords.map(BreachedPasswords.init(_:))),
            allowsSignUp: configuration.signIn.allowsPasswordSignUp,
            clock: clock.now
        )
        let mailed =
            configuration.mail.backend == .none
            ? nil
            : EmailCodes(
                database: database,
                mail: notices.mail,
                key: key,
                lifetime: configuration.lifetimes.code,
                limiter: notices.limiter,
                limits: limits,
                clock: clock
            )
        codes = mailed.map { CodeLogin(codes: $0, sessions: sessions) }
        apple = try Self.keys(configuration, clock.now).map { keys in
            AppleLogin(
                keys: keys,
                audiences: configuration.appleAudiences,
                nonces: AppleNonces(key: key),
                database: database,
                sessions: sessions,
                limiter: notices.limiter,
                limits: limits,
                clock: clock
            )
        }
        let stepUp = StepUp(logins: passwords)
        passwordChange = PasswordChange(logins: passwords, stepUp: stepUp, codes: mailed, notices: notices)
        links = AccountLinking(logins: passwords, stepUp: stepUp, codes: mailed, apple: apple, notices: notices)
    }

    /// Returns Apple's keys.
    ///
    /// A file must be valid at the start; a URL does not have to be reachable yet.
    private static func keys(
        _ configuration: ServerConfiguration,
        _ clock: @escaping @Sendable () -> Timestamp
    ) throws -> AppleKeys? {
        guard let url = configuration.appleKeys else { return nil }
        guard url.isFileURL else {
            return .fetched(AppleKeyCache(fetch: { try await AppleKeys.fetch(url) }, clock: clock))
        }
        try checkAppleKeys(url)
        return .file(url)
    }

    /// Checks that a file has keys with which Apple may sign.
    static func checkAppleKeys(_ file: URL) throws {
        do { _ = try AppleJWT.keys(Data(contentsOf: file)) } catch {
            throw IdentityStartupError.unreadableAppleKeys(file.path)
        }
    }
}

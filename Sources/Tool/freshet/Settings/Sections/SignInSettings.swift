// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetIdentity
import FreshetServer

/// Passwords, e-mail codes and Sign in with Apple.
struct SignInSettings: SettingsSection {
    static let title = "Sign-in"

    /// The ways to create an account.
    enum SignUp: String, CaseIterable { case open, mail }

    fileprivate var appleKeys: URL?

    static let settings: [Setting] = [
        Setting(
            "sign-up",
            "How an account is created: open (with a password, or a code by mail) or mail (with a code only)",
            details:
                "With open, `POST /v1/signup` shows whether an address has an account; with mail no response does.",
            \.signUp,
            .choice
        ),
        Setting(
            "password-cost",
            "The base-2 logarithm of scrypt's N; each step doubles time and memory",
            \.server.passwords.logN,
            .number(in: 10...20)
        ),
        Setting(
            "breached-passwords",
            "A sorted file of SHA-1 hashes of leaked passwords, as Have I Been Pwned publishes it",
            details: "New passwords are looked up in it; the file is never sent anywhere.",
            \.server.signIn.breachedPasswords,
            .file
        ),
        Setting(
            "code-ttl",
            "The lifetime of a code sent by mail; at most 10m",
            \.server.lifetimes.code,
            .positiveDuration(atMost: .seconds(600))
        ),
        Setting(
            "codes-per-day",
            "The number of codes a day that unknown clients may request for one address",
            \.codesPerDay,
            .number(in: 1...10_000)
        ),
        Setting(
            "apple-keys",
            "Apple's public keys: a file or a URL",
            \.appleKeys,
            SettingFormat(
                "file|url",
                expected: "a file or a URL",
                parse: { $0.contains("://") ? URL(string: $0) : URL(filePath: $0) },
                text: { $0.isFileURL ? $0.relativePath : $0.absoluteString }
            ),
            defaultNote: "Apple's, if apple-audience is given"
        ),
        Setting(
            "apple-audience",
            "A bundle or service id of an app whose identity tokens from Apple are accepted",
            \.server.appleAudiences,
            .texts("id")
        ),
    ]
}

extension ServeSettings {
    var signUp: SignInSettings.SignUp {
        get { server.signIn.allowsPasswordSignUp ? .open : .mail }
        set { server.signIn.allowsPasswordSignUp = newValue == .open }
    }

    fileprivate var codesPerDay: Int {
        get { server.signIn.limits.codesFromUnknownOrigins.capacity }
        set {
            server.signIn.limits.codesFromUnknownOrigins = RateLimit(
                capacity: newValue,
                interval: .seconds(86_400) / newValue
            )
            server.signIn.limits.codesFromNetwork.capacity = max(
                server.signIn.limits.codesFromNetwork.capacity,
                newValue / 2
            )
        }
    }

    var appleKeys: URL? {
        get {
            signIn.appleKeys ?? (server.appleAudiences.isEmpty ? nil : URL(string: ServerConfiguration.appleAddress))
        }
        set { signIn.appleKeys = newValue }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetIdentity
import FreshetServer

/// Access tokens, and the lifetimes of sessions.
struct TokenSettings: SettingsSection {
    static let title = "Tokens and sessions"

    /// The lifetime of access tokens set by the operator, which takes precedence over a contract's, like the other
    /// lifetimes.
    fileprivate(set) var access: Duration?
    fileprivate(set) var idle: Duration?
    fileprivate(set) var absolute: Duration?

    static let settings: [Setting] = [
        Setting(
            "issuer",
            "The issuer (iss) of access tokens",
            details: "It must not change, or tokens issued before are refused.",
            \.server.issuer,
            .text("url")
        ),
        Setting("audience", "The audience (aud) of access tokens", \.server.audience, .text),
        Setting("access-ttl", "The lifetime of an access token", \.accessTTL, .positiveDuration),
        Setting("idle-ttl", "A session that is not refreshed for this long expires", \.idleTTL, .positiveDuration),
        Setting(
            "absolute-ttl",
            "A session expires this long after sign-in, however often it is refreshed",
            \.absoluteTTL,
            .positiveDuration
        ),
        Setting(
            "sessions-per-user",
            "The number of sessions that a user may have; a new one ends the least recently used",
            \.server.signIn.sessionsPerUser,
            .number(in: 1...10_000),
            defaultNote: "unlimited"
        ),
        Setting(
            "session-retention",
            "Ended sessions are deleted after this time",
            details:
                "Until then the user can be told why the session ended. They are kept at least until their access tokens "
                + "have expired.",
            \.server.operations.retention.endedSessions,
            .duration
        ),
    ]
}

extension ServeSettings {
    fileprivate var accessTTL: Duration {
        get { server.lifetimes.access }
        set {
            server.lifetimes.access = newValue
            tokens.access = newValue
        }
    }

    fileprivate var idleTTL: Duration {
        get { server.lifetimes.idle }
        set {
            server.lifetimes.idle = newValue
            tokens.idle = newValue
        }
    }

    fileprivate var absoluteTTL: Duration {
        get { server.lifetimes.absolute }
        set {
            server.lifetimes.absolute = newValue
            tokens.absolute = newValue
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import FreshetWire
import SessionFixtures
import Testing

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Fixtures {
    /// A stored session whose access token was asked for at the test clock's start.
    static func stored(
        _ generation: UInt64,
        id: SessionID? = session,
        intent: String? = nil,
        lifetime: Double = 600
    ) -> StoredSession {
        StoredSession(
            id: id?.description ?? "",
            generation: generation,
            refreshToken: refreshToken(generation, of: id),
            intent: intent,
            accessToken: "access-\(generation)",
            askedAt: 1_800_000_000,
            lifetime: lifetime,
            userID: "u1",
            email: "ada@example.com"
        )
    }

    static func token(_ value: String) -> AccessToken {
        AccessToken(value: value, expiresAt: .distantFuture, sessionID: session?.description ?? "")
    }

    static func record(_ session: StoredSession?) -> SessionRecord {
        SessionRecord(origin: origin, session: session)
    }

    static func moment(_ seconds: Double) -> ClockSnapshot {
        ClockSnapshot(now: .seconds(seconds), wall: Date(timeIntervalSince1970: 1_800_000_000 + seconds))
    }

    static func live(_ generation: UInt64, cause: TimedAccessToken.Cause = .signIn, at seconds: Double = 0)
        -> TimedAccessToken
    {
        TimedAccessToken(
            token: AccessToken(
                value: "access-\(generation)",
                expiresAt: Date(timeIntervalSince1970: 1_800_000_600 + seconds),
                sessionID: session?.description ?? ""
            ),
            askedAt: .seconds(seconds),
            expiresAt: .seconds(600 + seconds),
            cause: cause
        )
    }

    static func currentSession(_ generation: UInt64, isSaved: Bool = true) -> CurrentSession {
        CurrentSession(session: stored(generation), token: live(generation), isSaved: isSaved)
    }
}

/// Returns the error that an operation throws.
func failure<Value>(of operation: () async throws -> Value) async -> SessionError? {
    do {
        _ = try await operation()
        return nil
    } catch { return error as? SessionError }
}

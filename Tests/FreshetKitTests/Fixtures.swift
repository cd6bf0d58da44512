// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import FreshetWire
import Testing

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

enum Fixtures {
    static let session = SessionID("00112233-4455-6677-8899-aabbccddeeff")
    static let otherSession = SessionID("ffeeddcc-bbaa-9988-7766-554433221100")
    static let origin = "https://api.example.com:443"

    static func url(_ text: String) throws -> URL { try #require(URL(string: text)) }
    static func base() throws -> URL { try url("https://api.example.com") }

    static func refreshToken(_ generation: UInt64, of session: SessionID? = session) -> String {
        guard let session else { return "" }
        let body = RefreshTokenPayload(keyID: 0, session: session, generation: generation)
        return RefreshToken(body: body, mac: Array(repeating: 0, count: 32)).text
    }

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

    /// A JWT with these claims, as JSON; its signature is none.
    static func jwt(_ claims: String) -> String { "e30." + Base64URL.encode(Array(claims.utf8)) + ".c2ln" }

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

extension SignInCredentials {
    static var test: SignInCredentials { .password(email: "ada@example.com", password: "correct horse battery") }
}

/// A session with everything around it under the test's control.
struct SessionFixture {
    let clock = TestClock()
    let backend = TestBackend()
    var configuration = SessionConfiguration()

    init() { configuration.minimumRefreshInterval = .seconds(30) }

    func session(
        contract: Contract = .freshet,
        store: any SessionStore = InMemoryStore(),
        transport: (any HTTPTransport)? = nil
    ) throws -> AuthSession {
        try AuthSession(
            contract: contract,
            baseURL: try Fixtures.base(),
            store: store,
            configuration: configuration,
            transport: transport ?? backend,
            clock: clock
        )
    }

    /// A session that is signed in with a token that has ended.
    func expiredSession(
        store: any SessionStore = InMemoryStore(),
        transport: (any HTTPTransport)? = nil
    ) async throws -> AuthSession {
        try await self.session(store: store).signIn(.test)
        clock.advance(by: .seconds(601))
        return try session(store: store, transport: transport)
    }

    func request(_ path: String = "/things") throws -> URLRequest {
        URLRequest(url: try Fixtures.url("https://api.example.com\(path)"))
    }
}

/// Returns the error that an operation throws.
func failure<Value>(of operation: () async throws -> Value) async -> SessionError? {
    do {
        _ = try await operation()
        return nil
    } catch { return error as? SessionError }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import FreshetWire

@Suite struct `Messages` {
    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func roundTrip<Value: Codable & Equatable>(_ value: Value, _ text: String) throws {
        #expect(try json(value) == text)
        #expect(try JSONDecoder().decode(Value.self, from: Data(text.utf8)) == value)
    }

    @Test func `session tokens round-trip through the JSON of the protocol`() throws {
        let id = try #require(SessionID("00112233-4455-6677-8899-aabbccddeeff"))
        let grant = SessionTokens(
            accessToken: "a",
            expiresIn: 600,
            refreshToken: "r",
            refreshExpiresIn: 2_592_000,
            sessionID: id,
            user: UserInfo(id: "u", email: "a@b"),
            serverTime: 1_800_000_000.25
        )
        try roundTrip(
            grant,
            #"{"access_token":"a","expires_in":600,"refresh_expires_in":2592000,"refresh_token":"r","server_time":1800000000.25,"session_id":"00112233-4455-6677-8899-aabbccddeeff","token_type":"Bearer","user":{"email":"a@b","id":"u"}}"#
        )
    }

    @Test func `requests with refresh tokens round-trip through the JSON of the protocol`() throws {
        try roundTrip(RefreshRequest(refreshToken: "r", intent: "i"), #"{"intent":"i","refresh_token":"r"}"#)
        try roundTrip(RefreshRequest(refreshToken: "r"), #"{"refresh_token":"r"}"#)
        try roundTrip(PresentedToken(refreshToken: "r"), #"{"refresh_token":"r"}"#)
    }

    @Test func `sign-in messages round-trip through the JSON of the protocol`() throws {
        let device = Device(name: "n", platform: "p", model: "m", app: "a", appVersion: "1")
        try roundTrip(device, #"{"app":"a","app_version":"1","model":"m","name":"n","platform":"p"}"#)
        try roundTrip(
            PasswordCredentials(email: "a@b", password: "p", device: Device(name: "n")),
            #"{"device":{"name":"n"},"email":"a@b","password":"p"}"#
        )
        try roundTrip(CodeRequest(email: "a@b"), #"{"email":"a@b"}"#)
        try roundTrip(CodeAttempt(attempt: "x", expiresIn: 600), #"{"attempt":"x","expires_in":600}"#)
        try roundTrip(
            CodeVerification(attempt: "x", code: "123456", intent: "i"),
            #"{"attempt":"x","code":"123456","intent":"i"}"#
        )
    }

    @Test func `session lists and user information round-trip through the JSON of the protocol`() throws {
        let id = try #require(SessionID("00112233-4455-6677-8899-aabbccddeeff"))
        let summary = SessionSummary(
            id: id,
            current: true,
            device: Device(name: "n"),
            createdAt: 1,
            lastUsedAt: 2,
            expiresAt: 3
        )
        try roundTrip(
            SessionList(sessions: [summary]),
            #"{"sessions":[{"created_at":1,"current":true,"device":{"name":"n"},"expires_at":3,"id":"00112233-4455-6677-8899-aabbccddeeff","last_used_at":2}]}"#
        )
        try roundTrip(
            Me(user: UserInfo(id: "u"), sessionID: id),
            #"{"session_id":"00112233-4455-6677-8899-aabbccddeeff","user":{"id":"u"}}"#
        )
    }

    @Test func `error bodies round-trip through the JSON of the protocol`() throws {
        try roundTrip(
            ErrorBody(.invalidGrant, "two holders", reason: .fork, requestID: "q"),
            #"{"error":"invalid_grant","error_description":"two holders","reason":"fork","request_id":"q"}"#
        )
        try roundTrip(ErrorBody(.notFound), #"{"error":"not_found"}"#)
    }

    @Test func `every error code has its text and HTTP status`() {
        let table = ErrorCode.allCases.map { "\($0.rawValue) \($0.status)" }
        #expect(
            table == [
                "invalid_request 400", "invalid_grant 400", "unsupported_grant_type 400", "invalid_scope 400",
                "invalid_client 401", "invalid_token 401",
                "insufficient_scope 403", "step_up_required 403", "origin_not_allowed 403", "not_found 404",
                "method_not_allowed 405",
                "request_timeout 408", "superseded 409", "conflict 409", "content_too_large 413",
                "unsupported_media_type 415", "upgrade_required 426", "headers_too_large 431", "too_many_requests 429",
                "server_error 500", "not_implemented 501",
                "unavailable 503",
            ]
        )
    }
}

@Suite struct `Masked secrets` {
    static let secret = "S3CR3T"

    private func prints(_ value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return [
            "\(value)", String(describing: value), String(reflecting: value), dumped, "\([value])",
            "\(Optional(value) as Any)",
        ]
    }

    static let holders: [any Sendable] = [
        SessionTokens(
            accessToken: secret,
            expiresIn: 1,
            refreshToken: secret,
            refreshExpiresIn: 1,
            sessionID: .random(),
            user: UserInfo(id: "u"),
            serverTime: 0
        ),
        RefreshRequest(refreshToken: secret, intent: secret),
        PresentedToken(refreshToken: secret),
        PasswordCredentials(email: "a@b", password: secret),
        CodeVerification(attempt: "a", code: secret, intent: secret),
    ]

    @Test(arguments: holders.indices) func `no textual representation of a message contains its secrets`(index: Int) {
        for text in prints(Self.holders[index]) { #expect(!text.contains(Self.secret)) }
    }

    @Test func `no textual representation of a refresh token or an intent contains its secret bytes`() {
        let token = RefreshToken(
            body: RefreshTokenPayload(keyID: 1, session: .random(), generation: 4),
            mac: [UInt8](repeating: 7, count: 32)
        )
        let intent = Intent.random()
        for text in prints(token) {
            #expect(!text.contains(token.text.dropFirst(30)))
            #expect(!text.contains("7, 7"))
            #expect(text.contains("generation 4"))
        }
        for text in prints(intent) {
            #expect(!text.contains(intent.text))
            #expect(!text.contains("\(intent.bytes[0]), \(intent.bytes[1])"))
        }
    }

    @Test func `a failed expectation on a message does not print its secrets`() {
        let grant = SessionTokens(
            accessToken: Self.secret,
            expiresIn: 1,
            refreshToken: Self.secret,
            refreshExpiresIn: 1,
            sessionID: .random(),
            user: UserInfo(id: "u"),
            serverTime: 0
        )
        let request = RefreshRequest(refreshToken: Self.secret)
        let presented = PresentedToken(refreshToken: Self.secret)
        let credentials = PasswordCredentials(email: "a@b", password: Self.secret)
        let verification = CodeVerification(attempt: "a", code: Self.secret, intent: Self.secret)
        let seen = IssueText()
        withKnownIssue {
            #expect(
                grant
                    == SessionTokens(
                        accessToken: "",
                        expiresIn: 1,
                        refreshToken: "",
                        refreshExpiresIn: 1,
                        sessionID: .random(),
                        user: UserInfo(id: "u"),
                        serverTime: 0
                    )
            )
            #expect(request == RefreshRequest(refreshToken: ""))
            #expect(presented == PresentedToken(refreshToken: ""))
            #expect(credentials == PasswordCredentials(email: "", password: ""))
            #expect(verification == CodeVerification(attempt: "", code: ""))
            #expect([credentials].isEmpty)
            #expect(Optional(verification) == nil)
        } matching: { issue in
            var dumped = ""
            dump(issue, to: &dumped)
            let text = "\(issue) \(String(reflecting: issue)) \(dumped)"
            seen.append(text)
            return true
        }
        for type in ["SessionTokens", "RefreshRequest", "PresentedToken", "PasswordCredentials", "CodeVerification"] {
            #expect(seen.text.contains("\(type)("))
        }
        #expect(!seen.text.contains(Self.secret))
    }

    @Test func `a failed expectation on a refresh token or an intent does not print its secrets`() throws {
        let body = RefreshTokenPayload(keyID: 1, session: .random(), generation: 4)
        let token = RefreshToken(body: body, mac: [UInt8](repeating: 7, count: 32))
        let intent = try #require(Intent(bytes: [UInt8](repeating: 9, count: 16)))
        let seen = IssueText()
        withKnownIssue {
            #expect(token == RefreshToken(body: body, mac: []))
            #expect(intent == .random())
        } matching: { issue in
            var dumped = ""
            dump(issue, to: &dumped)
            let text = "\(issue) \(String(reflecting: issue)) \(dumped)"
            seen.append(text)
            return true
        }
        let text = seen.text
        #expect(text.contains("generation 4"))
        for secret in [token.text, intent.text, "7, 7, 7", "9, 9, 9"] { #expect(!text.contains(secret)) }
    }
}

/// The texts of issues, from handlers that may run on any thread.
private final class IssueText: @unchecked Sendable {
    private let lock = NSLock()
    private var all = ""

    var text: String { lock.withLock { all } }

    func append(_ text: String) { lock.withLock { all += text } }
}

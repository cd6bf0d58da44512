// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetWire
import HTTPTypes
import Testing

@testable import FreshetPages
@testable import FreshetServer

/// A route that acts for a session, and a request to it that is held until the session has ended.
struct SuspendedRoute: Sendable {
    /// Method and path as the route table has them, and what tells several requests to one route apart.
    var name: String
    var variant = ""
    var kind: SuspendedRequestFixture.Kind
    /// The status while the session is alive.
    var accepted = 204
    /// The status once it is not.
    var refused = 401
    var effect = Effect.changes
    var request: @Sendable (SuspendedRequestFixture, SuspendedRequestFixture.Account) async throws -> Request

    enum Effect: Sendable {
        /// It changes the database.
        case changes
        /// It reads, and asks the database about the session.
        case reads
        /// It reads, and goes by the memory of ended sessions, which hears of other processes' within a second.
        case readsByMemory
    }

    struct Request: Sendable {
        var head: String
        var body = ""

        /// The bytes that are sent before the session ends: the head, without its last line if there is no body.
        var first: String { body.isEmpty ? head : head + "\r\n" }
        var rest: String { body.isEmpty ? "\r\n" : body }

        init(_ line: String, _ fields: [String], body: String = "", type: String = "application/json") {
            var fields = ["Host: localhost"] + fields
            if !body.isEmpty { fields += ["Content-Type: \(type)", "Content-Length: \(body.utf8.count)"] }
            head = "\(line) HTTP/1.1\r\n" + fields.map { $0 + "\r\n" }.joined()
            self.body = body
        }

        static func bearer(_ line: String, _ account: SuspendedRequestFixture.Account) -> Request {
            Request(line, ["Authorization: Bearer \(account.own.accessToken)"])
        }

        static func bearer(_ line: String, _ account: SuspendedRequestFixture.Account, _ body: some Encodable) throws
            -> Request
        {
            let text = String(decoding: try JSONEncoder().encode(body), as: UTF8.self)
            return Request(line, ["Authorization: Bearer \(account.own.accessToken)"], body: text)
        }

        static func page(_ line: String, _ scene: SuspendedRequestFixture) -> Request {
            Request(line, ["Cookie: \(Browser.cookie)=\(scene.page.text)"])
        }

        static func form(_ line: String, _ scene: SuspendedRequestFixture, _ fields: String = "") -> Request {
            let body = "\(PageForm.tokenField)=\(scene.page.formToken)" + fields
            let type = "application/x-www-form-urlencoded"
            return Request(line, ["Cookie: \(Browser.cookie)=\(scene.page.text)"], body: body, type: type)
        }

        static func client(_ line: String, _ body: String) -> Request {
            let field = "Authorization: Basic " + Data("web:secret".utf8).base64EncodedString()
            return Request(line, [field], body: body, type: "application/x-www-form-urlencoded")
        }
    }

    static let all = explicit + derived

    private static let explicit = native + oauth + contract + pages

    /// The rows of described operations that require an access token and take no body and no path parameter.
    ///
    /// The description has the method, the path and the success status, but not how the server learns that the session
    /// has ended. A derived row expects the strictest effect: a GET asks the database, any other method changes it. Its
    /// account is of the kind that every ending concerns. A route that differs has an explicit row.
    private static let derived: [SuspendedRoute] = {
        let names = Set(explicit.map(\.name))
        return OpenAPIOperation.all.compactMap { operation -> SuspendedRoute? in
            let line = OpenAPIDocument.name(operation.method, operation.path)
            guard case .bearer = operation.security, operation.body == nil, !operation.path.contains("{"),
                !names.contains(line), let success = operation.answers.first(where: { $0.status < 400 })
            else { return nil }
            let effect = operation.method == .get ? Effect.reads : .changes
            return SuspendedRoute(name: line, kind: .password, accepted: success.status, effect: effect) { _, account in
                .bearer(line, account)
            }
        }
    }()

    private static let native = [
        SuspendedRoute(name: "POST /v1/password", variant: "with the current one", kind: .password) { _, account in
            let update = PasswordUpdate(newPassword: "thief's horse", currentPassword: "correct horse")
            return try .bearer("POST /v1/password", account, update)
        },
        SuspendedRoute(name: "POST /v1/password", variant: "the account's first", kind: .code) { _, account in
            try .bearer("POST /v1/password", account, PasswordUpdate(newPassword: "thief's horse"))
        },
        SuspendedRoute(name: "POST /v1/link/email", kind: .apple, accepted: 202) { _, account in
            try .bearer("POST /v1/link/email", account, LinkRequest(email: "thief@example.com"))
        },
        SuspendedRoute(name: "POST /v1/link/email/verify", kind: .apple) { scene, account in
            let body = LinkRequest(attempt: scene.linkCode.attempt, code: scene.linkCode.code)
            return try .bearer("POST /v1/link/email/verify", account, body)
        },
        SuspendedRoute(name: "POST /v1/link/apple", variant: "fresh", kind: .password) { scene, account in
            let identity = try await scene.newIdentity()
            let body = LinkRequest(identityToken: identity.identityToken, nonce: identity.nonce)
            return try .bearer("POST /v1/link/apple", account, body)
        },
        SuspendedRoute(name: "POST /v1/link/apple", variant: "with the password", kind: .password) { scene, account in
            let identity = try await scene.newIdentity()
            let body = LinkRequest(
                identityToken: identity.identityToken,
                nonce: identity.nonce,
                currentPassword: "correct horse"
            )
            return try .bearer("POST /v1/link/apple", account, body)
        },
        SuspendedRoute(name: "DELETE /v1/link/apple", kind: .code) { _, account in
            .bearer("DELETE /v1/link/apple", account)
        },
        SuspendedRoute(name: "DELETE /v1/sessions/{id}", kind: .password) { _, account in
            .bearer("DELETE /v1/sessions/\(account.other.sessionID)", account)
        },
        SuspendedRoute(name: "POST /v1/logout-all", kind: .code) { _, account in
            .bearer("POST /v1/logout-all", account)
        },
        SuspendedRoute(name: "POST /v1/logout-others", kind: .apple) { _, account in
            .bearer("POST /v1/logout-others", account)
        },
        SuspendedRoute(name: "GET /v1/me", kind: .password, accepted: 200, effect: .readsByMemory) { _, account in
            .bearer("GET /v1/me", account)
        },
        SuspendedRoute(name: "PUT /v1/me/profile", kind: .password, accepted: 200) { _, account in
            try .bearer("PUT /v1/me/profile", account, Profile(username: "thief"))
        },
        SuspendedRoute(name: "DELETE /v1/me/profile", kind: .password, effect: .reads) { _, account in
            .bearer("DELETE /v1/me/profile", account)
        },
        SuspendedRoute(name: "GET /v1/me/profile", kind: .password, accepted: 404, effect: .readsByMemory) {
            _,
            account in
            .bearer("GET /v1/me/profile", account)
        },
        SuspendedRoute(name: "GET /v1/socket", kind: .apple, accepted: 101, effect: .reads) { _, account in
            let handshake = SocketClient.handshake(
                "/v1/socket",
                ["Authorization": "Bearer \(account.own.accessToken)"]
            )
            var request = Request("", [])
            // A line's end is one character.
            request.head = String(handshake.dropLast())
            return request
        },
    ]

    private static let oauth = [
        SuspendedRoute(name: "POST /oauth/revoke", kind: .apple, accepted: 200, refused: 200) { _, account in
            .client("POST /oauth/revoke", "token=\(account.own.accessToken)")
        },
        SuspendedRoute(
            name: "POST /oauth/introspect",
            kind: .apple,
            accepted: 200,
            refused: 200,
            effect: .readsByMemory
        ) { _, account in .client("POST /oauth/introspect", "token=\(account.own.accessToken)") },
    ]

    /// The calls of a served contract.
    private static let contract = [
        SuspendedRoute(name: "POST /dock/logout", kind: .code) { _, account in
            try .bearer("POST /dock/logout", account, [String: String]())
        },
        SuspendedRoute(name: "POST /dock/logout-all", kind: .code) { _, account in
            try .bearer("POST /dock/logout-all", account, [String: String]())
        },
        SuspendedRoute(name: "DELETE /dock/sessions/{id}", kind: .code) { _, account in
            .bearer("DELETE /dock/sessions/\(account.other.sessionID)", account)
        },
        SuspendedRoute(name: "GET /dock/sessions", kind: .code, accepted: 200, effect: .reads) { _, account in
            .bearer("GET /dock/sessions", account)
        },
        SuspendedRoute(name: "GET /dock/me", kind: .code, accepted: 200, effect: .readsByMemory) { _, account in
            .bearer("GET /dock/me", account)
        },
        SuspendedRoute(name: "GET /dock/ships", kind: .code, accepted: 200, effect: .readsByMemory) { _, account in
            .bearer("GET /dock/ships", account)
        },
    ]

    /// Forms and pages of a browser that is signed in; refused ones lead to the sign-in.
    private static let pages = [
        SuspendedRoute(name: "POST /account/devices/{id}/name", kind: .code, accepted: 303, refused: 303) {
            scene,
            account in
            .form("POST /account/devices/\(account.other.sessionID)/name", scene, "&name=Thief")
        },
        SuspendedRoute(name: "POST /account/devices/{id}/sign-out", kind: .code, accepted: 303, refused: 303) {
            scene,
            account in .form("POST /account/devices/\(account.other.sessionID)/sign-out", scene)
        },
        SuspendedRoute(name: "POST /account/sign-out-others", kind: .code, accepted: 303, refused: 303) { scene, _ in
            .form("POST /account/sign-out-others", scene)
        },
        SuspendedRoute(name: "POST /account/sign-out-everything", kind: .code, accepted: 303, refused: 303) {
            scene,
            _ in
            .form("POST /account/sign-out-everything", scene)
        },
        SuspendedRoute(name: "POST /account/sign-out", kind: .code, accepted: 303, refused: 303) { scene, _ in
            .form("POST /account/sign-out", scene)
        },
        SuspendedRoute(name: "GET /account/history", kind: .code, accepted: 200, refused: 303, effect: .reads) {
            scene,
            _ in
            .page("GET /account/history", scene)
        },
        SuspendedRoute(name: "GET /account/sign-out-others", kind: .code, accepted: 200, refused: 303, effect: .reads) {
            scene,
            _ in .page("GET /account/sign-out-others", scene)
        },
        SuspendedRoute(
            name: "GET /account/sign-out-everything",
            kind: .code,
            accepted: 200,
            refused: 303,
            effect: .reads
        ) {
            scene,
            _ in .page("GET /account/sign-out-everything", scene)
        },
        SuspendedRoute(name: "GET /account/devices/{id}/name", kind: .code, accepted: 200, refused: 303, effect: .reads)
        {
            scene,
            account in .page("GET /account/devices/\(account.other.sessionID)/name", scene)
        },
        SuspendedRoute(
            name: "GET /account/devices/{id}/sign-out",
            kind: .code,
            accepted: 200,
            refused: 303,
            effect: .reads
        ) { scene, account in .page("GET /account/devices/\(account.other.sessionID)/sign-out", scene) },
        // Shows the devices, or asks for an address.
        SuspendedRoute(name: "GET /account", kind: .code, accepted: 200, refused: 200, effect: .reads) { scene, _ in
            .page("GET /account", scene)
        },
    ]

    /// The described operations that require no credentials; a test sends them without.
    static let publicOperations = OpenAPIOperation.all.filter { operation in
        guard case .open = operation.security, operation.method == .get else { return false }
        let line = OpenAPIDocument.name(operation.method, operation.path)
        return !explicit.contains { $0.name == line }
    }

    /// The routes that act for no session, each with what they go by instead.
    static let others: [String: String] = {
        var others = evidence
        for operation in publicOperations { others[OpenAPIDocument.name(operation.method, operation.path)] = "public" }
        return others
    }()

    private static let evidence: [String: String] = [
        "POST /v1/signup": "a new account",
        "POST /v1/login/password": "the password, compared in the transaction",
        "POST /v1/login/code": "asks for a code",
        "POST /v1/login/code/verify": "the code, accepted in the transaction",
        "POST /v1/login/apple/nonce": "makes a nonce",
        "POST /v1/login/apple": "Apple's identity token, spent in the transaction",
        "POST /v1/apple/notices": "Apple's signature",
        "POST /v1/password/reset": "asks for a code",
        "POST /v1/refresh": "the refresh token, judged in the transaction",
        "POST /v1/confirm": "the refresh token, judged in the transaction",
        "POST /v1/report": "the refresh token, judged in the transaction",
        "POST /v1/logout": "the refresh token, judged in the transaction",
        "POST /oauth/token": "the refresh token, judged in the transaction",
        "POST /dock/login": "the password, compared in the transaction",
        "POST /dock/refresh": "the refresh token, judged in the transaction",
        "GET /v1/ended": "a client's secret; clients do not change while the server runs",
        "GET /account/sign-in": "public",
        "POST /account/sign-in": "asks for a code",
        "GET /account/code": "public",
        "POST /account/code": "the code, accepted in the transaction",
        "GET /account/sign-out": "public",
    ]

    /// A contract with every call that has an access token.
    static let dock = """
        {
          "contract": 1, "name": "dock", "rotation": "always",
          "endpoints": {
            "login.password": { "path": "/dock/login", "json": { "email": "$email", "password": "$password" } },
            "refresh": { "path": "/dock/refresh", "json": { "refresh_token": "$refresh_token" } },
            "logout": { "path": "/dock/logout", "attach": true, "json": {} },
            "logoutAll": { "path": "/dock/logout-all", "attach": true, "json": {} },
            "sessions.list": { "method": "GET", "path": "/dock/sessions", "attach": true },
            "sessions.revoke": { "method": "DELETE", "path": "/dock/sessions/${id}", "attach": true },
            "me": { "method": "GET", "path": "/dock/me", "attach": true }
          },
          "reply": { "access": "/access_token", "refresh": "/refresh_token" },
          "server": {
            "rotation": "plain",
            "lifetimes": { "access": 300, "idle": 3600, "absolute": 7200 },
            "resources": [ { "path": "/dock/ships", "reply": { "json": { "ships": [] } } } ]
          }
        }
        """
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

/// A browser on the `/account` pages, behind a proxy that names its address.
struct AccountPageClient {
    let port: Int
    /// The address that the proxy writes into `X-Forwarded-For`.
    var source: String
    var cookies: [String: String] = [:]

    init(_ server: RunningServer, from source: String) {
        port = server.port
        self.source = source
    }

    /// Asks for a code, as the first form does.
    mutating func askForCode(_ email: String) async throws -> RawClient.Response {
        try await submit("/account/sign-in", "email=\(email)", fromPage: "/account")
    }

    /// Signs in with a code that was mailed.
    mutating func signIn(_ email: String, _ server: RunningServer) async throws {
        try #require(try await askForCode(email).status == 303)
        let code = try server.code(for: email)
        let answer = try await submit("/account/code", "code=\(code)", fromPage: "/account/code")
        try #require(answer.status == 303 && answer.head.contains("account-known="), "\(answer.head)")
    }

    private mutating func submit(_ path: String, _ field: String, fromPage page: String) async throws
        -> RawClient.Response
    {
        let form = try await send("GET", page)
        let token = try #require(form.body.firstMatch(of: /name="([a-z_]+)" value="([^"]+)"/))
        return try await send("POST", path, "\(field.replacing("@", with: "%40"))&\(token.1)=\(token.2)")
    }

    private mutating func send(_ method: String, _ path: String, _ body: String = "") async throws -> RawClient.Response
    {
        let pairs = cookies.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "; ")
        let fields = [
            "\(method) \(path) HTTP/1.1", "Host: localhost", "X-Forwarded-For: \(source)", "X-Forwarded-Proto: https",
            "Content-Type: application/x-www-form-urlencoded", "Content-Length: \(body.utf8.count)", "Cookie: \(pairs)",
        ]
        let text = fields.filter { $0 != "Cookie: " }.joined(separator: "\r\n") + "\r\n\r\n" + body
        let response = try await RawClient.connected(to: port) { conversation in
            var conversation = conversation
            try await conversation.send(text)
            return try await conversation.response()
        }
        for match in response.head.matches(of: /(?i)set-cookie: ([^=]+)=([^;]*)/) {
            cookies[String(match.1)] = match.2.isEmpty ? nil : String(match.2)
        }
        return response
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetServer
import Testing

@testable import FreshetIdentity

/// Guesses at the secrets of OAuth clients.
@Suite(.timeLimit(.minutes(5)))
struct `Attacks on OAuth clients` {
    private static let secret = "a secret chosen by hand"
    /// Its hash by scrypt, which takes a while.
    private static let slowHash =
        "$scrypt$ln=14,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$Wuxm8pBJRYpiMlEnugNIjl96vIvrVTCefacc8Cav59g"
    private static let home = "203.0.113.7"

    private func attack(
        _ name: String,
        secretHash: String = ClientSecretHash(of: secret).text,
        _ body: @escaping (RunningServer) async throws -> Void
    ) async throws {
        try await Attack.report(name) {
            try await RunningServer.run(
                ["--trusted-proxy", "127.0.0.1/32", "--trusted-proxy", "::1/128"],
                prepare: { folder in
                    let file = folder.appending(path: "clients.json")
                    let text = #"{"clients":[{"id":"web","kind":"confidential","secret":"\#(secretHash)"}]}"#
                    try Data(text.utf8).write(to: file)
                    return ["--oauth-clients", file.path]
                },
                body
            )
        }
    }

    private func request(_ secret: String, from source: String) -> String {
        let body = "token=x"
        let proof = Data("web:\(secret)".utf8).base64EncodedString()
        return "POST /oauth/introspect HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic \(proof)\r\n"
            + "X-Forwarded-For: \(source)\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private func introspect(_ server: RunningServer, _ secret: String, from source: String) async throws
        -> RawClient.Response
    {
        try await RawClient.connected(to: server.port) { conversation in
            var conversation = conversation
            try await conversation.send(request(secret, from: source))
            return try await conversation.response()
        }
    }

    @Test func `guesses at a client's secret are limited, and the client's own network is not locked out`() async throws
    {
        try await attack("unlimited guesses at an OAuth client's secret") { server in
            try #require(try await introspect(server, Self.secret, from: Self.home).status == 200)
            var refused: [RawClient.Response] = []
            for network in 1...12 {
                for guess in 1...11 {
                    let answer = try await introspect(server, "guess \(guess)", from: "192.0.2.\(network)")
                    if answer.status == 429 { refused.append(answer) }
                }
            }
            let last = try #require(refused.last)
            try #require(refused.count >= 12)
            try #require(last.head.lowercased().contains("\r\nretry-after: "), "\(last.head)")
            try #require(last.body.contains(#""error":"too_many_requests""#) && last.body.contains("error_description"))
            // A right secret from elsewhere has to wait; the client's own network has not.
            try #require(try await introspect(server, Self.secret, from: "192.0.2.200").status == 429)
            for _ in 1...15 { try #require(try await introspect(server, Self.secret, from: Self.home).status == 200) }
        }
    }

    @Test func `guesses at a client's secret are limited regardless of forged X-Forwarded-For addresses`() async throws
    {
        try await attack("unlimited guesses by addresses that the client forges") { server in
            var statuses: [Int] = []
            for guess in 1...15 {
                // The client sends the first address, the proxy appends the second. With the comma, U+0600 is one `Character`.
                let source = "192.0.2.\(guess)%\u{600}, 203.0.113.66"
                statuses.append(try await introspect(server, "guess \(guess)", from: source).status)
            }
            try #require(statuses.last == 429, "\(statuses)")
        }
    }

    @Test func `guesses at a client's secret keep no user from signing in`() async throws {
        try await attack("users kept from signing in by guesses at a client's secret", secretHash: Self.slowHash) {
            server in
            try await server.signUp()
            let (answers, answer) = AsyncStream.makeStream(of: Int.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for network in 1...60 {
                    group.addTask {
                        // Again and again, so that each place in the hasher's queue is taken as soon as it is free.
                        while !Task.isCancelled,
                            let status = try? await introspect(server, "guess", from: "192.0.2.\(network)").status
                        {
                            answer.yield(status)
                        }
                    }
                }
                // The queue is full once a guess is refused.
                for await status in answers where status == 429 { break }
                for _ in 1...8 {
                    let json = ["email": "ann@example.com", "password": "correct horse"]
                    let answer = try await server.send("POST", "/v1/login/password", json: json)
                    try #require(answer.status == 200, "\(answer.status) \(answer.text)")
                }
                group.cancelAll()
            }
        }
    }
}

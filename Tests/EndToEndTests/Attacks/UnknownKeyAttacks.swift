// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import Testing

@testable import freshet

/// Refresh tokens under keys that the server does not have: no final answer, and nothing that grows.
@Suite(.timeLimit(.minutes(5)))
struct `Attacks with tokens under unknown keys` {
    @Test func `a refresh token with an unknown key ID gets a retryable 503, and its session continues`() async throws {
        let serving = ["--refreshes-per-session", "1000"]
        try await Attack.run("a refresh token rewritten to every other key number", serving: serving) { server in
            let first = try await server.firstToken()
            let genuine = try RefreshToken(first)
            for path in ["/v1/refresh", "/v1/confirm", "/v1/report", "/v1/logout"] {
                for id in UInt8.min...UInt8.max where id != genuine.body.keyID {
                    var body = genuine.body
                    body.keyID = id
                    let forged = RefreshToken(body: body, mac: genuine.mac).text
                    var json = ["refresh_token": forged]
                    if path == "/v1/refresh" { json["intent"] = Intent.random().text }
                    let reply = try await server.send("POST", path, json: json)
                    try #require(
                        reply.status == 503 && reply.string("error") == "unavailable",
                        "\(path): \(reply.text)"
                    )
                    try #require(reply.string("reason") == nil && reply.headers["retry-after"] != nil)
                }
            }
            let log = try String(contentsOf: server.log, encoding: .utf8)
            let alarms = log.split(separator: "\n").filter { $0.contains("signed with an unknown MAC key") }
            // One a minute for each number, however many there were.
            try #require(!alarms.isEmpty && alarms.count <= 2 * 255, "\(alarms.count)")
            let reply = try await server.refresh(first)
            try #require(reply.status == 200, "\(reply.text)")
        }
    }
}

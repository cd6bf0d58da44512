// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

/// Strangers who keep an account's owner out by using up rate limits.
@Suite(.timeLimit(.minutes(5)))
struct `Attacks by using up rate limits` {
    private static let behindProxy = ["--trusted-proxy", "127.0.0.1/32", "--trusted-proxy", "::1/128"]
    private let ann = "ann@example.com"

    private func post(
        _ server: RunningServer,
        _ path: String,
        _ json: [String: String],
        from source: String
    ) async throws -> RunningServer.Reply {
        try await server.send("POST", path, json: json, headers: ["X-Forwarded-For": source])
    }

    private func askForCode(_ server: RunningServer, knownDevice: String? = nil, from source: String) async throws
        -> Int
    {
        let json = ["email": ann, "known_device": knownDevice].compactMapValues(\.self)
        return try await post(server, "/v1/login/code", json, from: source).status
    }

    private func signIn(
        _ server: RunningServer,
        _ password: String,
        knownDevice: String? = nil,
        from source: String
    ) async throws -> Int {
        let json = ["email": ann, "password": password, "known_device": knownDevice].compactMapValues(\.self)
        return try await post(server, "/v1/login/password", json, from: source).status
    }

    @Test func `a forged attempt value does not use up another client's verification attempts`() async throws {
        let arguments = Self.behindProxy + ["--contract", RunningServer.contract("melchat")]
        try await Attack.run("a victim's attempts spent by a chosen attempt text", serving: arguments) { server in
            let home = "203.0.113.7"
            try #require(try await post(server, "/api/auth/login", ["email": ann], from: home).status < 300)
            for _ in 1...25 {
                let forged = ["attempt": "\(ann) from \(home)", "code": "000000"]
                _ = try await post(server, "/v1/login/code/verify", forged, from: "192.0.2.66")
            }
            let code = try server.code(for: ann)
            let answer = try await post(server, "/api/auth/verify", ["email": ann, "code": code], from: home)
            try #require(answer.status == 200, "\(answer.status) \(answer.text)")
        }
    }

    @Test func `an attempt value of NUL characters is refused with status 400`() async throws {
        try await Attack.run("an unexpected error by a zero byte", serving: Self.behindProxy) { server in
            for attempt in ["\0", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"] {
                let proof = ["attempt": attempt, "code": "123456", "new_password": "better horse"]
                for path in ["/v1/login/code/verify", "/v1/password"] {
                    let answer = try await post(server, path, proof, from: "192.0.2.66")
                    try #require(answer.status == 400, "\(path): \(answer.status) \(answer.text)")
                }
            }
        }
    }

    @Test func `code requests by attackers do not lock the owner out, and the number of mails is limited`() async throws
    {
        try await Attack.run("an owner locked out by strangers' code requests", serving: Self.behindProxy) { server in
            let home = "203.0.113.7"
            _ = try await post(server, "/v1/signup", ["email": ann, "password": "correct horse"], from: home)
            // A code that was not used yet: strangers' requests must not cancel it.
            let begun = try await post(server, "/v1/login/code", ["email": ann], from: home)
            let (attempt, code) = (try #require(begun.string("attempt")), try server.code(for: ann))
            var sent = 0
            for number in 1...60 where try await askForCode(server, from: "192.0.2.\(number)") == 202 { sent += 1 }
            try #require(sent == 10)
            let proof = ["attempt": attempt, "code": code]
            let grant = try await post(server, "/v1/login/code/verify", proof, from: home)
            try #require(grant.status == 200)
            let device = try #require(grant.string("refresh_token"))
            // From the network of before, and on the device of before in another network.
            try #require(try await askForCode(server, from: home) == 202)
            try #require(try await askForCode(server, knownDevice: device, from: "198.51.100.9") == 202)
            try #require(try await askForCode(server, from: "198.51.100.9") == 429)
            // Mails stay bounded for those, too.
            var more = 0
            for _ in 1...30 where try await askForCode(server, knownDevice: device, from: home) == 202 { more += 1 }
            try #require(more < 10)
        }
    }

    @Test func `an owner's code stays valid without an attempt value after attackers request newer codes`() async throws
    {
        let arguments = Self.behindProxy + ["--contract", RunningServer.contract("melchat")]
        try await Attack.run("an owner's code refused for a stranger's newer one", serving: arguments) { server in
            try #require(try await post(server, "/api/auth/login", ["email": ann], from: "203.0.113.7").status < 300)
            let code = try server.code(for: ann)
            for number in 1...3 {
                try #require(try await askForCode(server, from: "192.0.2.\(number)") == 202)
            }
            // The owner has changed networks since.
            let answer = try await post(
                server,
                "/api/auth/verify",
                ["email": ann, "code": code],
                from: "198.51.100.9"
            )
            try #require(answer.status == 200, "\(answer.status) \(answer.text)")
        }
    }

    @Test func `guesses at the code of an address are counted against each of its codes`() async throws {
        let arguments = Self.behindProxy + ["--contract", RunningServer.contract("melchat")]
        try await Attack.run("more guesses at an address's codes than one of them allows", serving: arguments) {
            server in
            var codes: [String] = []
            for number in 1...3 {
                let asked = try await post(server, "/api/auth/login", ["email": ann], from: "192.0.2.\(number)")
                try #require(asked.status < 300)
                codes.append(try server.code(for: ann))
            }
            let wrong = (0...9).map { String(repeating: "\($0)", count: 6) }.filter { !codes.contains($0) }
            for guess in wrong.prefix(5) {
                let answer = try await post(
                    server,
                    "/api/auth/verify",
                    ["email": ann, "code": guess],
                    from: "192.0.2.9"
                )
                try #require(answer.status >= 400)
            }
            for code in codes {
                let answer = try await post(
                    server,
                    "/api/auth/verify",
                    ["email": ann, "code": code],
                    from: "192.0.2.8"
                )
                try #require(answer.status >= 400, "\(answer.status)")
            }
        }
    }

    @Test func `an owner on a known network or device can sign in after an attacker's wrong passwords`() async throws {
        try await Attack.run("an owner locked out by strangers' wrong passwords", serving: Self.behindProxy) { server in
            let home = "2001:db8:1:2::7"
            let grant = try await post(server, "/v1/signup", ["email": ann, "password": "correct horse"], from: home)
            let device = try #require(grant.string("refresh_token"))
            for number in 1...15 {
                for _ in 1...10 { _ = try await signIn(server, "wrong horse", from: "192.0.2.\(number)") }
            }
            try #require(try await signIn(server, "correct horse", from: "198.51.100.9") == 429)
            // Another address of the same subscriber's network.
            try #require(try await signIn(server, "correct horse", from: "2001:db8:1:2:ffff::8") == 200)
            try #require(try await signIn(server, "correct horse", knownDevice: device, from: "198.51.100.9") == 200)
        }
    }

    @Test func `a known browser or network can request an account page code while attackers are limited`() async throws
    {
        try await Attack.run("an owner kept off /account by strangers", serving: Self.behindProxy) { server in
            var owner = AccountPageClient(server, from: "203.0.113.7")
            try await owner.signIn(ann, server)
            var statuses: [Int] = []
            for number in 1...40 {
                var stranger = AccountPageClient(server, from: "192.0.2.\(number)")
                statuses.append(try await stranger.askForCode(ann).status)
            }
            try #require(statuses.last == 429, "\(statuses)")
            // The same browser elsewhere, and another browser in the network of before.
            owner.source = "198.51.100.9"
            try #require(try await owner.askForCode(ann).status == 303)
            var other = AccountPageClient(server, from: "203.0.113.7")
            try #require(try await other.askForCode(ann).status == 303)
            // The cookie is the account's own.
            var thief = AccountPageClient(server, from: "192.0.2.99")
            thief.cookies = owner.cookies.filter { $0.key.hasSuffix("account-known") }
            try #require(thief.cookies.count == 1)
            for number in 1...12 {
                thief.source = "192.0.2.\(100 + number)"
                _ = try await thief.askForCode("bob@example.com")
            }
            thief.source = "192.0.2.113"
            try #require(try await thief.askForCode("bob@example.com").status == 429)
        }
    }

    @Test func `the addresses of one IPv6 network share a limit of failed sign-ins`() async throws {
        try await Attack.run("guessing from many addresses of one IPv6 /64", serving: Self.behindProxy) { server in
            var refused = 0
            for number in 1...60 {
                let json = ["email": "user\(number)@example.com", "password": "wrong horse"]
                let source = "2001:db8:9:9::\(String(number, radix: 16))"
                if try await post(server, "/v1/login/password", json, from: source).status == 429 { refused += 1 }
            }
            // Some more may come back while the attack goes on.
            try #require((20...30).contains(refused), "\(refused)")
            let log = try String(contentsOf: server.log, encoding: .utf8)
            try #require(log.contains("2001:db8:9:9::") && log.contains("no failed sign-ins left"))
            let json = ["email": ann, "password": "correct horse"]
            try #require(try await post(server, "/v1/signup", json, from: "2001:db8:9:a::1").status == 201)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import Testing

/// A wall clock that is set while the program runs, by Debian's `faketime`; the monotonic clock goes on.
@Suite(.timeLimit(.minutes(5)), .enabled(if: FakedClock.library != nil, "faketime is not installed"))
struct `Attacks by a clock that jumps` {
    @Test(arguments: ["+40d", "-40d"])
    func `a clock that jumps ends no session and locks no user out`(jump: String) async throws {
        let clock = try FakedClock()
        try await clock.attack("a wall clock that jumps by \(jump)") { server in
            let email = "ann@example.com"
            try await server.signUp(email)
            let first = try await server.send(
                "POST",
                NativePath.loginPassword,
                json: ["email": email, "password": "correct horse"]
            )
            var token = try #require(first.string("refresh_token"))
            try clock.set(jump)
            for round in 1...3 {
                if round == 3 { try clock.set("+0") }
                let answer = try await server.send(
                    "POST",
                    NativePath.refresh,
                    json: ["refresh_token": token, "intent": Intent.random().text]
                )
                try #require(answer.status == 200, "\(answer.text)")
                token = try #require(answer.string("refresh_token"))
                let access = try #require(answer.string("access_token"))
                let issuedAt = try #require(RunningServer.Reply.claim("iat", of: access))
                try #require(abs(issuedAt - Date().timeIntervalSince1970) < 60)
                try #require(try await server.send("GET", NativePath.me, bearer: access).status == 200)
            }
            // In the same way for limits: asked for during the jump, and refused for minutes at most after it.
            try clock.set(jump)
            let other = "ben@example.com"
            for _ in 1...5 {
                let asked = try await server.send("POST", NativePath.loginCode, json: ["email": other])
                try #require(asked.status == 202)
            }
            try clock.set("+0")
            let refused = try await server.send("POST", NativePath.loginCode, json: ["email": other])
            try #require(refused.status == 429)
            try #require((refused.headers["retry-after"].flatMap { Int($0) } ?? .max) <= 60)
            let log = try String(contentsOf: server.log, encoding: .utf8)
            try #require(log.contains("the wall clock is not trusted"))
            try #require(log.contains("the wall clock is trusted again"))
        }
    }
}

/// The environment variables that give a program the test's wall clock.
private struct FakedClock {
    static let library = ["x86_64", "aarch64"]
        .map { "/usr/lib/\($0)-linux-gnu/faketime/libfaketimeMT.so.1" }
        .first { FileManager.default.fileExists(atPath: $0) }

    private let file: URL

    init() throws {
        file = FileManager.default.temporaryDirectory.appending(path: "freshet-faketime-\(UUID())")
        try set("+0")
    }

    /// Sets the clock that far from the true time.
    func set(_ offset: String) throws { try Data("\(offset)\n".utf8).write(to: file, options: .atomic) }

    /// Runs an attack on a server with this clock.
    func attack(_ name: String, _ body: (RunningServer) async throws -> Void) async throws {
        let environment = [
            "LD_PRELOAD": Self.library ?? "", "FAKETIME_TIMESTAMP_FILE": file.path, "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        ]
        defer { try? FileManager.default.removeItem(at: file) }
        // The library adds to the environment of the first program that loads it, and Swift finds its arguments beside that.
        let launcher = URL(filePath: "/usr/bin/env")
        try await Attack.report(name) {
            try await RunningServer.run([], environment: environment, launcher: launcher, body)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import freshet

@Suite(.timeLimit(.minutes(5)), .serialized)
struct `freshet verify` {
    private func verify(_ world: TestEnvironment, _ jwks: String, _ input: String, audience: String = "api")
        async throws
        -> TestEnvironment.ToolResult
    {
        try await world.tool(
            ["verify", "--jwks", jwks, "--issuer", "http://localhost", "--audience", audience],
            input: input
        )
    }

    @Test func `the verify command distinguishes valid from invalid tokens, with keys from the server or a file`()
        async throws
    {
        try await TestEnvironment.live { world in
            let server = try world.address.absoluteString
            let account = ["login", "--server", server, "--email", "ann@example.com", "--password-stdin", "--sign-up"]
            #expect(try await world.tool(account, input: "correct horse\n").status == 0)
            let token = try await world.tool(["token"]).output.trimmingCharacters(in: .whitespacesAndNewlines)
            let keys = server + "/.well-known/jwks.json"

            let good = try await verify(world, keys, token + "\r\n" + token)
            #expect(good.status == 0)
            let lines = good.output.split(separator: "\n")
            #expect(lines.count == 2)
            #expect(lines.allSatisfy { $0.hasPrefix("ok ") && $0.count > 10 })

            let long = String(repeating: "x", count: 100_000)
            let mixed = try await verify(world, keys, "nonsense\n\(long)\n\(token)x\n\(token)\n")
            #expect(mixed.status == 1)
            #expect(
                mixed.output.split(separator: "\n").map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
                    .prefix(3) == ["rejected malformed", "rejected too_large", "rejected malformed"]
            )
            #expect(mixed.output.split(separator: "\n").last?.hasPrefix("ok ") == true)
            #expect(try await verify(world, keys, token, audience: "other").output == "rejected audience\n")

            let file = FileManager.default.temporaryDirectory.appending(path: "freshet-keys-\(UUID())")
            defer { try? FileManager.default.removeItem(at: file) }
            #expect(try await verify(world, file.path, token).status == 64)
            try Data("{}".utf8).write(to: file)
            #expect(try await verify(world, file.path, token).status == 64)
            let published = try await world.tool(["request", "GET", "/.well-known/jwks.json"]).output
            try Data(published.utf8).write(to: file)
            #expect(try await verify(world, file.path, token).status == 0)
            let nothing = try await verify(world, file.path, "")
            #expect(nothing.status == 64)
            #expect(nothing.output.isEmpty && nothing.notes.contains("standard input contains no token"))
            for blank in ["\n", "\r\n", " \n"] {
                let ending = try await verify(world, file.path, blank)
                #expect(ending.status == 1 && ending.output == "rejected malformed\n", "\(blank.debugDescription)")
            }
            let gap = try await verify(world, file.path, "\(token)\n\n\(token)\n")
            #expect(gap.status == 1 && gap.output.split(separator: "\n").count == 3)
        }
    }

    @Test func `the verify command refuses keys over plain HTTP, and exits with 5 if the key server is unreachable`()
        async throws
    {
        try await TestEnvironment.live { world in
            let inTheClear = try await verify(world, "http://keys.example/jwks.json", "a.b.c")
            #expect(inTheClear.status == 64)
            let good = #"{"alg":"ES256","typ":"at+jwt","kid":"k"}"#
            let header = Data(good.utf8).base64EncodedString().replacing("=", with: "")
            // A port where nobody listens.
            #expect(try await verify(world, "http://127.0.0.1:1/jwks.json", "\(header).e30.AAAA").status == 5)
        }
    }

    @Test func `a line reader splits lines regardless of the chunk size, and limits their length`() async {
        for size in [1, 2, 3, 7, 1000] {
            let text = Array("one\r\n\ntwo\n\(String(repeating: "l", count: 50))\nfour".utf8)
            let rest = NIOLockedValueBox(text[...])
            var lines = LineReader(limit: 10) {
                rest.withLockedValue { rest in
                    defer { rest = rest.dropFirst(size) }
                    return Array(rest.prefix(size))
                }
            }
            var seen: [LineReader.Line] = []
            while let line = await lines.next() { seen.append(line) }
            #expect(seen == [.text("one"), .text(""), .text("two"), .tooLong, .text("four")])
        }
    }
}

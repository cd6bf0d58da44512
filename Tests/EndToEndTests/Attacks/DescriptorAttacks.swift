// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import freshet

/// A server that has no descriptor left.
@Suite(
    .timeLimit(.minutes(5)),
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/prlimit"), "prlimit is not installed")
)
struct `Attacks on descriptors` {
    @Test func `a server out of file descriptors pauses accepting, logs the problem and recovers`() async throws {
        try await Attack.run("more connections than the server has descriptors", serving: ["--log-level", "debug"]) {
            server in
            try await RawClient.connected(to: server.port) { conversation in
                var conversation = conversation
                try #require(try await Self.signUp("ann@example.com", over: &conversation) == 201)
                // The limit is lowered behind the server's back: a leak leaves as few.
                let limit = try server.openFiles + 40
                let lowering = try ChildProcess(
                    ["--pid", "\(server.process.id)", "--nofile=\(limit):"],
                    program: URL(filePath: "/usr/bin/prlimit")
                )
                try #require(await lowering.wait().status == 0)
                let start = try server.processorTime
                let peers = try (0..<200).map { _ in try UnresponsivePeer(port: server.port) }
                let line = try await server.logged("no connection can be accepted")
                try #require(line.contains("LimitNOFILE"))
                // A pause lasts a second at most: a listener that spins would use most of a core in each.
                let pauses = 3
                try await server.logged("accepting is paused", times: pauses)
                let used = try (server.processorTime - start) / Double(pauses)
                print("  processor time without descriptors: \(Int(used * 1000)) ms a pause")
                try #require(used < 0.2)
                // Some descriptors are left, for files and for the runtime; clients that are connected notice nothing.
                try #require(server.openFiles < limit - 2)
                try #require(try await Self.signUp("bob@example.com", over: &conversation) == 201)
                try #require(!String(contentsOf: server.log, encoding: .utf8).contains("Too many open files"))
                withExtendedLifetime(peers) {}
            }
            // The peers are gone, and their descriptors free.
            let answer = try await RawClient.connected(to: server.port) { conversation in
                var conversation = conversation
                try await conversation.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return try await conversation.response().status
            }
            try #require(answer == 200)
        }
    }

    private static func signUp(_ email: String, over conversation: inout RawConversation) async throws -> Int {
        let body = #"{"email":"\#(email)","password":"correct horse"}"#
        try await conversation.send(
            "POST /v1/signup HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        return try await conversation.response().status
    }

    @Test func `connections are limited below a low limit of open files, and a warning is logged`() async throws {
        try await Attack.report("more connections than a small limit of open files allows") {
            let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-files-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let log = folder.appending(path: "log")
            try Data().write(to: log)
            let program = RunningServer.program.path
            let line =
                "ulimit -n 128; exec '\(program)' serve --port 0 --until-stdin-closes --data '\(folder.path)/data'"
            let process = try ChildProcess(
                ["-c", line],
                program: URL(filePath: "/bin/sh"),
                keepsInputOpen: true,
                log: try FileHandle(forWritingTo: log)
            )
            let first = await process.lines.first { _ in true }
            let address = try #require(first?.split(separator: " ").last.map(String.init), "the server does not start")
            let server = RunningServer(address: address, folder: folder, process: process, database: [:])
            do {
                let warning = try await server.logged("allows fewer connections than max-connections")
                try #require(warning.contains(/"open_files":"?128\b/))
                try #require(warning.contains(/"max_connections":"?20000\b/))
                let peers = try (0..<200).map { _ in try UnresponsivePeer(port: server.port) }
                // A connection beyond the limit is closed; so is the last one here.
                try await peers.last?.closed()
                try #require(!String(contentsOf: log, encoding: .utf8).contains("Too many open files"))
                withExtendedLifetime(peers) {}
            } catch {
                await process.terminate()
                throw error
            }
            await process.terminate()
        }
    }
}

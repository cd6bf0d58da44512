// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import SessionFixtures
import Testing

@testable import FreshetKit
@testable import FreshetOutbox

/// Processes that end without a chance to tidy up.
@Suite(.timeLimit(.minutes(5))) struct `Outbox crashes` {
    /// The items that the workers accepted, as lane and number.
    fileprivate final class Ledger: Sendable {
        private let lines = Locked<Set<String>>([])
        var accepted: Set<String> { lines.withLock { $0 } }
        func add(_ line: String) { _ = lines.withLock { $0.insert(line) } }
    }

    /// A folder in memory, where there is one: a killed process leaves the same behind there, and nobody waits for a disk.
    private static let memory = URL(filePath: "/dev/shm")
    private static let whole = FileManager.default.fileExists(atPath: memory.path) ? 10_000 : 2_000
    private let folder: Folder
    private let stage: Stage
    private var server: RecordingServer { stage.server }
    private var ledger: Ledger { stage.ledger }

    /// The server, ledger and folder of the workers.
    fileprivate struct Stage: Sendable {
        let server: RecordingServer
        let ledger = Ledger()
        let folder: String
    }

    init() throws {
        folder = try Folder(in: Self.whole == 10_000 ? Self.memory : .temporaryDirectory)
        let server = try RecordingServer { body, arrival in
            let number = Int(body.split(separator: " ").dropFirst().first ?? "") ?? 0
            if number % 50 == 7 { return 422 }
            return arrival % 40 == 13 ? 503 : 200
        }
        stage = Stage(server: server, folder: folder.url.path)
    }

    private func session() async throws -> AuthSession {
        try AuthSession(
            contract: .named("creatist"),
            baseURL: try server.base,
            store: FileStore(directory: folder.url, name: "session")
        )
    }

    @Test func `ten thousand items survive kills at any point, each applied once and in order`() async throws {
        defer { server.stop() }
        let session = try await session()
        let tokens = TokenGrant(accessToken: "a", refreshToken: "r", expiresIn: .seconds(86_400), userID: "u")
        try await session.signIn(.tokens(tokens))
        // Two processes at a time, in lanes of their own, each sending what any has put down.
        var first = 0
        while ledger.accepted.count < Self.whole {
            try await withThrowingDiscardingTaskGroup { group in
                for lanes in ["a", "b"] {
                    let arguments = ["run", lanes, "\(first)", "1000"]
                    group.addTask { [stage] in try await stage.runAndKill(arguments) }
                }
            }
            first += 1_000
        }
        server.observe(nil)
        let last = try stage.work(["run", "c", "0", "10"])
        for await line in last.lines { ledger.add(line) }
        #expect(await last.wait() == 0)
        try await check(session)
    }

    private func check(_ session: AuthSession) async throws {
        let arrivals = server.arrivals
        #expect(arrivals.allSatisfy { Self.isWhole($0.body) }, "nothing half written is sent")
        let places = arrivals.map { Self.place($0.body) }
        // A server that honours the key applies each item once, because an item has one key for ever.
        let keys = Dictionary(grouping: zip(places, arrivals), by: \.0).mapValues { Set($0.map(\.1.key)) }
        #expect(keys.values.allSatisfy { $0.count == 1 })
        let settled = zip(places, arrivals).filter { $0.1.status < 500 }
        let applied = Set(settled.map(\.0))
        #expect(ledger.accepted.subtracting(applied) == [])
        #expect(ledger.accepted.count >= Self.whole)
        // In each lane, in the order in which they were put down.
        var last: [Substring: Int] = [:]
        var seen: Set<String> = []
        var isOrdered = true
        for (place, _) in settled where seen.insert(place).inserted {
            let parts = place.split(separator: " ")
            guard let number = Int(parts[1]) else { continue }
            isOrdered = isOrdered && last[parts[0], default: -1] < number
            last[parts[0]] = number
        }
        #expect(isOrdered)
        // Every refused item is set aside, and nothing else is left.
        let outbox = try session.outbox(directory: folder.url.appending(path: "outbox"))
        await outbox.flush()
        let refused = Set(settled.filter { $0.1.status == 422 }.map(\.1.key))
        let letters = try await outbox.deadLetters()
        #expect(Set(letters.map { $0.id.uuidString.lowercased() }) == refused)
        #expect(outbox.counts.waiting == 0 && outbox.counts.sending == 0 && outbox.counts.dead == letters.count)
    }

    private static func place(_ body: String) -> String {
        body.split(separator: " ").prefix(2).joined(separator: " ")
    }

    private static func isWhole(_ body: String) -> Bool {
        let parts = body.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, let number = Int(parts[1]) else { return false }
        return parts[2] == String(repeating: "x", count: number % 200) + "."
    }

    @Test func `a batch whose last item cannot be written is not stored at all`() async throws {
        defer { server.stop() }
        let worker = try stage.work(["fill"])
        var lines: [String] = []
        for await line in worker.lines { lines.append(line) }
        #expect(await worker.wait() == 0)
        #expect(lines.count == 2 && lines.first?.contains("unavailable") == true && lines.last == "accepted")
        let files = FileManager.default.enumerator(atPath: folder.url.path)?.compactMap { $0 as? String } ?? []
        #expect(files.count { $0.contains("/waiting/") } == 1)
    }
}

extension `Outbox crashes`.Stage {
    /// A worker; whoever signed in is in the folder.
    fileprivate func work(_ arguments: [String]) throws -> `Outbox crashes`.Worker {
        try .init([arguments[0], try server.base.absoluteString, folder] + arguments.dropFirst())
    }

    /// Kills a worker when it has accepted so many items, or when so many more have arrived: most are in the midst of it.
    fileprivate func runAndKill(_ arguments: [String]) async throws {
        let worker = try work(arguments)
        let end = Int.random(in: 1...1_600)
        let arrived = server.arrivals.count
        if Bool.random() { server.observe { if $0 > arrived + end { worker.kill() } } }
        var count = 0
        for await line in worker.lines {
            ledger.add(line)
            count += 1
            if count == end { worker.kill() }
        }
        _ = await worker.wait()
    }
}

extension `Outbox crashes` {
    /// The program beside this one, as a process of its own.
    final class Worker: Sendable {
        let lines: AsyncStream<String>
        private let process: Process
        /// Held open as long as this one lives.
        private let input = Pipe()
        private let ending: Task<Int32, Never>

        init(_ arguments: [String]) throws {
            let process = Process()
            process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
                .appending(path: "OutboxWorker")
            process.arguments = arguments
            process.standardInput = input
            let pipe = Pipe()
            process.standardOutput = pipe
            let (ended, end) = AsyncStream.makeStream(of: Int32.self)
            process.terminationHandler = {
                end.yield($0.terminationStatus)
                end.finish()
            }
            try process.run()
            let (lines, arrived) = AsyncStream.makeStream(of: String.self)
            Thread.detachNewThread {
                var rest = Data()
                while case let data = pipe.fileHandleForReading.availableData, !data.isEmpty {
                    rest += data
                    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                        arrived.yield(String(decoding: rest[..<end], as: UTF8.self))
                        rest = Data(rest[(end + 1)...])
                    }
                }
                arrived.finish()
            }
            ending = Task { await ended.first { _ in true } ?? -1 }
            self.process = process
            self.lines = lines
        }

        /// Ends it without a chance to tidy up; it was started here, and is waited for, so the number is still its own.
        func kill() {
            if process.isRunning { _ = Foundation.kill(process.processIdentifier, SIGKILL) }
        }

        func wait() async -> Int32 { await ending.value }
    }
}

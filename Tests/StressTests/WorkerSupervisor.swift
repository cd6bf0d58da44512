// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

@testable import FreshetKit
@testable import StressWorker

/// Runs a process that shares a household's store, kills it at random moments, and starts the next one.
final class WorkerSupervisor: Sendable {
    private struct State {
        var process: StressProcess?
        var place = ""
        var log: URL?
        var count = 0
        var killed: Set<String> = []
        var recorded: Set<String> = []
    }

    private let name: String
    private let store: any SessionStore
    private let folder: URL
    private let arguments: @Sendable (_ place: String) -> [String]
    private let journal: EventJournal
    private let state = Locked(State())
    private let gate = Gate()

    /// The workers use `store`; what they record is logged in `folder`.
    init(
        _ name: String,
        _ store: any SessionStore,
        loggingIn folder: URL,
        _ journal: EventJournal,
        _ arguments: @escaping @Sendable (_ place: String) -> [String]
    ) throws {
        (self.name, self.store, self.folder, self.journal) = (name, store, folder, journal)
        self.arguments = arguments
        try start()
    }

    /// The places of the workers that were killed.
    var killed: Set<String> { state.withLock { $0.killed } }

    /// The tokens that a killed worker, or another process before its end was known, had stored.
    var recorded: Set<String> { state.withLock { $0.recorded } }

    /// Kills the worker with SIGKILL after a while, and starts another one.
    ///
    /// - Parameters:
    ///   - pause: How long it may still run.
    ///   - body: Actions to perform while no worker runs.
    /// - Returns: The place of the one that was killed.
    func restart(after pause: Duration, _ body: @Sendable () async -> Void = {}) async -> String {
        await gate.exclusive {
            try? await Task.sleep(for: pause)
            let place = await self.kill()
            await body()
            do { try self.start() } catch { self.journal.violate("no worker of \(self.name) can be started: \(error)") }
            return place
        }
    }

    /// Lets the worker end by itself.
    ///
    /// - Returns: Its exit code.
    func end() async -> Int32 {
        await gate.exclusive { await self.state.withLock { $0.process.take() }?.end() ?? 0 }
    }

    private func start() throws {
        let (place, log) = state.withLock { state in
            state.count += 1
            state.place = "\(name).worker\(state.count)"
            return (state.place, folder.appending(path: "\(state.place).log"))
        }
        try Data().write(to: log)
        let process = try StressProcess(arguments(place), output: FileHandle(forWritingTo: log))
        state.withLock { ($0.process, $0.log) = (process, log) }
    }

    private func kill() async -> String {
        let (process, place, log) = state.withLock { ($0.process.take(), $0.place, $0.log) }
        await process?.kill()
        var records =
            log.flatMap { try? Data(contentsOf: $0) }?.split(separator: UInt8(ascii: "\n"))
            .compactMap { try? SessionRecord(decoding: Data($0)) } ?? []
        // It may have died between storing a record and logging it.
        if let stored = try? store.read() { records.append(stored) }
        let tokens = Set(records.flatMap(\.tokens))
        state.withLock { state in
            state.killed.insert(place)
            state.recorded.formUnion(tokens)
        }
        journal.note("\(place) was killed")
        return place
    }
}

extension SessionRecord {
    /// The tokens of the session and of the logouts that are owed.
    var tokens: [String] {
        let stored = [session?.refreshToken, session?.accessToken]
        return (stored + pendingLogouts.flatMap { [$0.refreshToken, $0.accessToken] }).compactMap(\.self)
    }
}

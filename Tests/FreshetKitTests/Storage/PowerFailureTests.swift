// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SeededRandom
import SessionFixtures
import SimulatedFiles
import Testing

@testable import FreshetKit

@Suite(.timeLimit(.minutes(5))) struct `File store and power failures` {
    static let home = "/home/user"
    static let directory = URL(filePath: "\(home)/.local/state/app", directoryHint: .isDirectory)
    static let first = Fixtures.record(Fixtures.stored(3))
    static let second = Fixtures.record(Fixtures.stored(4))

    /// A change of the store that a power failure interrupts.
    enum Change: CaseIterable {
        case firstRecord, replacement, overwriting, removal, overwritingDamaged, migrationOfNames

        var before: SessionRecord? { [.firstRecord, .overwritingDamaged].contains(self) ? nil : first }

        var after: SessionRecord? {
            switch self {
            case .firstRecord, .migrationOfNames: first
            case .replacement, .overwriting, .overwritingDamaged: second
            case .removal: nil
            }
        }

        func prepare(_ volume: SimulatedVolume) throws {
            let system = SimulatedFileSystem(volume, isObserver: true)
            if self == .firstRecord { return }
            try store(system).overwrite(with: first)
            if self == .migrationOfNames {
                #expect(volume.rename("%4Dain.session", to: "Main.session", in: directory.path))
            }
            if self == .overwritingDamaged {
                let folder = system.open(directory.path, O_RDONLY)
                let file = system.openat(folder, "%4Dain.session", O_WRONLY | O_TRUNC, 0)
                #expect(Array("{".utf8).withUnsafeBytes { system.write(file, $0) } == 1)
            }
            volume.sync()
        }

        func perform(_ store: FileStore) throws {
            switch self {
            case .firstRecord: #expect(try store.replace(nil, with: first))
            case .replacement: #expect(try store.replace(first, with: second))
            case .overwriting, .overwritingDamaged: try store.overwrite(with: second)
            case .removal: #expect(try store.replace(first, with: nil))
            case .migrationOfNames: #expect(try store.read() == first)
            }
        }
    }

    static func store(_ system: SimulatedFileSystem) -> FileStore {
        FileStore(directory: directory, name: "Main", environment: .simulated(system))
    }

    @Test(arguments: Change.allCases)
    func `a file store has the old or the new record after a power failure, and the new one after the call`(
        change: Change
    ) throws {
        var interruptions = 0
        for seed in 0..<60 {
            for call in 1... {
                let volume = SimulatedVolume(folder: Self.home, random: SeededRandomStream(seed: UInt64(seed)))
                try change.prepare(volume)
                let system = SimulatedFileSystem(volume)
                volume.endProcess(atChange: call)
                do { try change.perform(Self.store(system)) } catch { #expect(system.hasEnded, "\(error)") }
                let isDone = !system.hasEnded
                system.end()
                volume.willChange = nil
                volume.cutPower()
                do {
                    let found = try Self.store(SimulatedFileSystem(volume)).read()
                    #expect(found == change.after || !isDone && found == change.before, "seed \(seed), call \(call)")
                } catch {
                    #expect(change == .overwritingDamaged && !isDone, "seed \(seed), call \(call): \(error)")
                }
                if isDone { break }
                interruptions += 1
            }
        }
        #expect(interruptions > 100)
    }

    @Test func `a record in a folder that a killed process created is durable`() throws {
        for seed in 0..<60 {
            for call in 1... {
                let volume = SimulatedVolume(folder: Self.home, random: SeededRandomStream(seed: UInt64(seed)))
                let killed = SimulatedFileSystem(volume)
                volume.endProcess(atChange: call)
                _ = try? Self.store(killed).replace(nil, with: Self.first)
                volume.willChange = nil
                guard killed.hasEnded else { break }
                let store = Self.store(SimulatedFileSystem(volume))
                #expect(try store.replace(try store.read(), with: Self.second))
                volume.cutPower()
                let found = try Self.store(SimulatedFileSystem(volume)).read()
                #expect(found == Self.second, "seed \(seed), call \(call)")
            }
        }
    }

    @Test func `a new folder without files is durable`() throws {
        for seed in 0..<60 {
            let volume = SimulatedVolume(folder: Self.home, random: SeededRandomStream(seed: UInt64(seed)))
            func open(creating: Bool) throws -> SecureFolder? {
                let environment = FileEnvironment.simulated(SimulatedFileSystem(volume))
                return try SecureFolder.open(Self.directory.path, creating: creating, environment: environment)
            }
            #expect(try open(creating: true) != nil)
            volume.cutPower()
            #expect(try open(creating: false) != nil, "seed \(seed)")
        }
    }

    @Test func `a file store on a simulated volume passes the store contract`() throws {
        let volume = SimulatedVolume(folder: Self.home, random: SeededRandomStream(seed: 1))
        let system = SimulatedFileSystem(volume)
        // ThreadSanitizer reports a value without a size as a race with the lock beside it.
        let calls = Locked(0)
        try SessionStoreContract.check { name in
            SerialStore(FileStore(directory: Self.directory, name: name, environment: .simulated(system)), calls)
        } remains: { name in
            let system = SimulatedFileSystem(volume, isObserver: true)
            let folder = system.open(Self.directory.path, O_RDONLY)
            return (system.names(folder) ?? []).contains { $0.hasPrefix(name) && $0.hasSuffix(".session") }
        }
    }

    @Test func `a full volume and a locked device are errors, and the stored record stays`() throws {
        let volume = SimulatedVolume(folder: Self.home, random: SeededRandomStream(seed: 1))
        let store = Self.store(SimulatedFileSystem(volume))
        #expect(try store.replace(nil, with: Self.first))
        volume.isFull = true
        let full = #expect(throws: SessionStoreError.self) { try store.replace(Self.first, with: Self.second) }
        #expect(full?.kind == .failed)
        volume.isFull = false
        volume.isLocked = true
        let locked = #expect(throws: SessionStoreError.self) { try store.read() }
        #expect(locked?.kind == .locked)
        volume.isLocked = false
        #expect(try store.read() == Self.first)
    }

    @Test func `the end of a process releases its locks`() throws {
        let volume = SimulatedVolume(folder: Self.home, random: SeededRandomStream(seed: 1))
        let (one, other) = (SimulatedFileSystem(volume), SimulatedFileSystem(volume))
        try Self.store(one).overwrite(with: Self.first)
        let held = try #require(try Self.store(one).processLock?.attempt())
        #expect(try Self.store(other).processLock?.attempt() == nil)
        one.end()
        #expect(try Self.store(other).processLock?.attempt() != nil)
        held.release()
    }
}

/// Stores on a volume that one thread at a time may use.
private struct SerialStore: SessionStore {
    let base: FileStore
    let calls: Locked<Int>

    init(_ base: FileStore, _ calls: Locked<Int>) {
        self.base = base
        self.calls = calls
    }

    var name: String { base.name }

    func read() throws(SessionStoreError) -> SessionRecord? {
        try calls.withLock { _ throws(SessionStoreError) in try base.read() }
    }

    func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
        try calls.withLock { _ throws(SessionStoreError) in try base.replace(expected, with: record) }
    }

    func overwrite(with record: SessionRecord?) throws(SessionStoreError) {
        try calls.withLock { _ throws(SessionStoreError) in try base.overwrite(with: record) }
    }
}

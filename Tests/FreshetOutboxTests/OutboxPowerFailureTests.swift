// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import SeededRandom
import SessionFixtures
import SimulatedFiles
import Testing

@testable import FreshetKit
@testable import FreshetOutbox

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The end of a process, and then of the power, at each call of an operation that may change the volume.
@Suite(.timeLimit(.minutes(5))) struct `Outbox and power failures` {
    static let home = "/home/user"
    static let now = Date(timeIntervalSince1970: 1_800_000_000)

    /// An operation that a power failure interrupts.
    enum Operation: CaseIterable {
        case appending, deadLettering, retrying, discarding, discardingEverything, merging

        /// Performs it in a folder with the waiting item `first` and the dead letter `second`.
        func perform(_ folder: OutboxFolder, _ first: OutboxEntry, _ second: OutboxEntry, _ system: SimulatedFileSystem)
            throws
        {
            switch self {
            case .appending:
                let batch = [try OutboxFolder.Draft.posting("three"), try .posting("four")]
                let appended = try folder.append([batch], at: now, within: OutboxConfiguration())
                for batch in appended.batches { _ = try batch.get() }
            case .deadLettering:
                let record = OutboxDeadLetterRecord(.rejected(status: 422), at: now, attempts: 1)
                try folder.complete(first, .moveToDeadLetters(record))
            case .retrying: #expect(try folder.requeue(second, keepsPlace: false, at: now) != nil)
            case .discarding: try folder.discard(second)
            case .discardingEverything: try folder.discardEverything()
            case .merging: #expect(try open("user", system, creating: true).merge(folder).moved == 2)
            }
        }

        /// The bodies of the waiting items and of the dead letters after the operation.
        var result: (waiting: Set<String>, dead: Set<String>) {
            switch self {
            case .appending: (["one", "three", "four"], ["two"])
            case .deadLettering: ([], ["one", "two"])
            case .retrying: (["one", "two"], [])
            case .discarding: (["one"], [])
            case .discardingEverything: ([], [])
            case .merging: (["one"], ["two"])
            }
        }
    }

    static func open(_ name: String, _ system: SimulatedFileSystem, creating: Bool = false) throws -> OutboxFolder {
        let path = "\(home)/\(name)"
        let folder = try OutboxFolder(path, creating: creating, Locked(0), environment: .simulated(system))
        return try #require(folder)
    }

    /// Stores the waiting item "one" and the dead letter "two".
    private func prepare(_ volume: SimulatedVolume) throws -> (first: OutboxEntry, second: OutboxEntry) {
        let folder = try Self.open("session", SimulatedFileSystem(volume, isObserver: true), creating: true)
        let drafts = [try OutboxFolder.Draft.posting("one"), try .posting("two")]
        let appended = try folder.append([drafts], at: Self.now, within: OutboxConfiguration())
        let entries = try #require(try appended.batches.first?.get())
        let record = OutboxDeadLetterRecord(.rejected(status: 422), at: Self.now, attempts: 1)
        try folder.complete(entries[1], .moveToDeadLetters(record))
        volume.sync()
        return (entries[0], entries[1])
    }

    /// Returns the bodies in the folders of all accounts, the oldest first; fails for an item that cannot be decoded and a
    /// dead letter without its reason.
    private func bodies(_ volume: SimulatedVolume) throws -> (waiting: [String], dead: [String]) {
        let system = SimulatedFileSystem(volume, isObserver: true)
        var found: (waiting: [String], dead: [String]) = ([], [])
        for name in ["session", "user"] where volume.names(in: Self.home).contains(name) {
            let folder = try Self.open(name, system)
            let listing = try folder.list()
            for entry in listing.waiting { found.waiting.append(try body(entry, in: folder.waiting)) }
            for entry in listing.dead ?? [] {
                found.dead.append(try body(entry, in: folder.dead))
                #expect(try folder.record(of: entry).deadLetterReason == .rejected(status: 422))
            }
        }
        return found
    }

    private func body(_ entry: OutboxEntry, in folder: borrowing SecureFolder) throws -> String {
        let read = try folder.read(entry.file, largest: .max)
        let bytes = try #require(read)
        let item = try #require(OutboxItem(decoding: bytes), "\(entry.file) has \(bytes.count) bytes")
        return String(decoding: item.request?.httpBody ?? Data(), as: UTF8.self)
    }

    @Test func `an item in a folder that a killed process created is durable`() throws {
        for seed in 0..<40 {
            for call in 1... {
                let volume = SimulatedVolume(folder: Self.home, random: SeededRandomStream(seed: UInt64(seed)))
                let killed = SimulatedFileSystem(volume)
                volume.endProcess(atChange: call)
                _ = try? Self.open("user", killed, creating: true)
                volume.willChange = nil
                guard killed.hasEnded else { break }
                let folder = try Self.open("user", SimulatedFileSystem(volume), creating: true)
                let batch = [try OutboxFolder.Draft.posting("one")]
                _ = try folder.append([batch], at: Self.now, within: OutboxConfiguration()).batches.first?.get()
                volume.cutPower()
                #expect(try bodies(volume).waiting == ["one"], "seed \(seed), call \(call)")
            }
        }
    }

    @Test(arguments: Operation.allCases)
    func `an outbox loses no item at a power failure, and a completed operation is durable`(
        operation: Operation
    ) throws {
        var interruptions = 0
        for seed in 0..<40 {
            for call in 1... {
                let volume = SimulatedVolume(folder: Self.home, random: SeededRandomStream(seed: UInt64(seed)))
                let (first, second) = try prepare(volume)
                let system = SimulatedFileSystem(volume)
                let folder = try Self.open("session", system)
                _ = try folder.list()
                volume.endProcess(atChange: call)
                do { try operation.perform(folder, first, second, system) } catch {
                    #expect(system.hasEnded, "\(error)")
                }
                let isDone = !system.hasEnded
                system.end()
                volume.willChange = nil
                volume.cutPower()
                let found = try bodies(volume)
                let result = operation.result
                let place = Comment("seed \(seed), call \(call), found \(found)")
                if isDone {
                    #expect(Set(found.waiting) == result.waiting && Set(found.dead) == result.dead, place)
                    #expect(found.waiting.count + found.dead.count == result.waiting.count + result.dead.count, place)
                    if operation == .appending { #expect(found.waiting == ["one", "three", "four"], place) }
                    break
                }
                // Items that were stored before are in their old place or in the new one, unless the operation removes them.
                let all = Set(found.waiting + found.dead)
                if operation != .discardingEverything {
                    #expect(all.contains("one"), place)
                    #expect(operation == .discarding || all.contains("two"), place)
                }
                #expect(all.subtracting(result.waiting).isSubset(of: ["one", "two"]), place)
                if operation == .deadLettering, found.waiting.contains("one") {
                    // The item is sent and refused again.
                    let system = SimulatedFileSystem(volume, isObserver: true)
                    try operation.perform(try Self.open("session", system), first, second, system)
                    #expect(try bodies(volume).waiting == [], place)
                }
                interruptions += 1
            }
        }
        #expect(interruptions > 100)
    }

    @Test func `a rename between folders of a simulated volume leaves the old or the new name after a power failure`()
        throws
    {
        var outcomes: Set<[String]> = []
        for seed in 0..<60 {
            let volume = SimulatedVolume(folder: Self.home, random: SeededRandomStream(seed: UInt64(seed)))
            let system = SimulatedFileSystem(volume, isObserver: true)
            for name in ["a", "b"] { #expect(system.mkdir("\(Self.home)/\(name)", 0o700) == 0) }
            let (a, b) = (system.open("\(Self.home)/a", O_RDONLY), system.open("\(Self.home)/b", O_RDONLY))
            system.close(system.openat(a, "file", O_WRONLY | O_CREAT, 0o600))
            volume.sync()
            #expect(system.renameat(a, "file", b, "new") == 0)
            #expect(volume.names(in: "\(Self.home)/a") == [] && volume.names(in: "\(Self.home)/b") == ["new"])
            // A journal makes the whole rename durable with the folder that it leaves.
            if seed.isMultiple(of: 3) { #expect(system.syncFolder(a) == 0) }
            volume.cutPower()
            let names = ["a", "b"].flatMap { folder in volume.names(in: "\(Self.home)/\(folder)") }
            if seed.isMultiple(of: 3) { #expect(names == ["new"]) } else { outcomes.insert(names) }
        }
        #expect(outcomes == [["file"], ["new"]])
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit

extension OutboxFolder {
    /// What somebody who wants to send an item finds.
    enum ClaimResult: Sendable {
        /// The item is his until he settles it or lets go.
        case item(OutboxItem, LaneLock)
        /// Its file is no item; it is his to be set aside.
        case damaged(LaneLock)
        /// A newer version of the app put it down, in a form that is not known here.
        case newer
        /// It is not there any more.
        case gone
        /// Another process sends an item of its lane.
        case busy
        /// Others may have put items down before this one that this process has not seen; or it has, just now.
        case outdated
    }

    /// Whoever holds it may send items of a lane.
    struct LaneLock: Sendable {
        fileprivate var lock: FileLock
        fileprivate var name: String

        /// Whether the lock was not given up before a suspension.
        var isHeld: Bool { lock.isHeld }

        /// Lets others send items of the lane.
        func release() { lock.release() }
    }

    /// What is left to do on disk about an item that was sent.
    enum ItemCompletion: Sendable {
        case remove
        case moveToDeadLetters(OutboxDeadLetterRecord)
    }

    /// The name of the lock of a lane.
    static func laneLock(_ lane: String) -> String { "\(FileName.escaped(lane)).lock" }

    /// Takes an item in order to send it, if by the listing with the serial `listing` it is the first of its lane.
    func claim(_ entry: OutboxEntry, by listing: Int) throws(SessionStoreError) -> ClaimResult {
        let name = Self.laneLock(entry.lane)
        guard let lock = try lanes.tryRemovableLock(name) else { return .busy }
        let lane = LaneLock(lock: lock, name: name)
        do throws(SessionStoreError) {
            // What others have put down unseen has greater numbers than all that were seen.
            let known = cachedState
            guard known.listing == listing, entry.number <= known.number ?? 0 else {
                lane.release()
                return .outdated
            }
            guard let bytes = try waiting.read(entry.file, largest: .max) else {
                recordRemoval(entry)
                lane.release()
                return .gone
            }
            if let item = OutboxItem(decoding: bytes) { return .item(item, lane) }
            guard OutboxItem.isOfNewerVersion(bytes) else { return .damaged(lane) }
            lane.release()
            return .newer
        } catch {
            if error.kind == .damaged || !waiting.isSound(entry.file) { return .damaged(lane) }
            lane.release()
            throw error
        }
    }

    /// Does what is left to do about an item.
    ///
    /// A removal that the end of power takes back leads to one more attempt with the same key; waiting for the disk each
    /// time would cost more than that.
    func complete(_ entry: OutboxEntry, _ completion: ItemCompletion) throws(SessionStoreError) {
        switch completion {
        case .remove: try waiting.removeWithoutSync(entry.file)
        case .moveToDeadLetters(let record): try moveToDeadLetters(entry, record)
        }
        recordRemoval(entry)
    }

    /// Sets an item aside: the reason first, so that no dead letter is without one.
    private func moveToDeadLetters(_ entry: OutboxEntry, _ record: OutboxDeadLetterRecord) throws(SessionStoreError) {
        guard let bytes = try? JSONEncoder().encode(record) else {
            throw SessionStoreError(.failed, "the reason cannot be encoded")
        }
        // Under the lane's lock nobody else writes this file.
        try dead.write(bytes, to: Self.reasonFile(entry), by: ".\(entry.id)")
        guard try waiting.move(entry.file, to: dead, as: entry.file) else {
            // Discarded meanwhile, and so is the reason.
            if dead.size(of: entry.file) == nil { try dead.removeWithoutSync(Self.reasonFile(entry)) }
            return
        }
        recordDeadLetter(entry, by: 1)
        try dead.syncDirectory()
        try waiting.syncDirectory()
    }

    /// Removes the file of a lock that is held, because nothing of its lane is left.
    func removeLockFile(_ lane: LaneLock) { lane.lock.whileHeld { try? lanes.removeWithoutSync(lane.name) } }

    // MARK: Dead letters

    func deadLetters() throws(SessionStoreError) -> [OutboxDeadLetter] {
        var letters: [OutboxDeadLetter] = []
        for entry in try Self.entries(in: dead) { letters.append(try record(of: entry).deadLetter(entry)) }
        return letters
    }

    func record(of entry: OutboxEntry) throws(SessionStoreError) -> OutboxDeadLetterRecord {
        let bytes = try dead.read(Self.reasonFile(entry))
        let record = bytes.flatMap { try? JSONDecoder().decode(OutboxDeadLetterRecord.self, from: $0) }
        return record ?? OutboxDeadLetterRecord(.damaged, at: entry.date, attempts: 0)
    }

    func deadLetter(_ id: UUID) throws(SessionStoreError) -> OutboxEntry? {
        try Self.entries(in: dead).first { $0.id == id }
    }

    /// Removes everything there is; whoever sends some of it finds it gone.
    func discardEverything() throws(SessionStoreError) {
        let listing = try list()
        for entry in listing.waiting { try waiting.removeWithoutSync(entry.file) }
        try waiting.syncDirectory()
        for entry in listing.dead ?? [] {
            try dead.removeWithoutSync(entry.file)
            try dead.removeWithoutSync(Self.reasonFile(entry))
        }
        try dead.syncDirectory()
        _ = try list()
    }

    func discard(_ entry: OutboxEntry) throws(SessionStoreError) {
        try dead.removeWithoutSync(entry.file)
        recordDeadLetter(entry, by: -1)
        try dead.removeWithoutSync(Self.reasonFile(entry))
        try dead.syncDirectory()
    }
}

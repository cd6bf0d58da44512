// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit

extension OutboxFolder {
    /// The result of claiming an item to send.
    enum ClaimResult: Sendable {
        /// The item, and its lane's lock.
        case item(OutboxItem, LaneLock)
        /// The file is not a valid item, and has to become a dead letter.
        case damaged(LaneLock)
        /// A newer version of the app stored it, in an unknown format.
        case newer
        /// It no longer exists.
        case gone
        /// Another process is sending an item of its lane.
        case busy
        /// The listing is out of date: another process may have stored earlier items that it does not contain.
        case outdated
    }

    /// The lock that permits sending items of a lane.
    struct LaneLock: Sendable {
        fileprivate var lock: FileLock
        fileprivate var name: String

        /// Whether the lock is still held; it may have been released because the process was about to be suspended.
        var isHeld: Bool { lock.isHeld }

        /// Releases the lock.
        func release() { lock.release() }
    }

    /// The pending disk operation of a sent item.
    enum ItemCompletion: Sendable {
        case remove
        case moveToDeadLetters(OutboxDeadLetterRecord)
    }

    /// Returns the name of a lane's lock file.
    static func laneLock(_ lane: String) -> String { "\(FileName.escaped(lane)).lock" }

    /// Claims an item for sending, if it is the first of its lane in the listing with the serial `listing`.
    func claim(_ entry: OutboxEntry, by listing: Int) throws(SessionStoreError) -> ClaimResult {
        let name = Self.laneLock(entry.lane)
        guard let lock = try lanes.tryRemovableLock(name) else { return .busy }
        let lane = LaneLock(lock: lock, name: name)
        do throws(SessionStoreError) {
            // Items of other processes that are not listed yet have greater numbers than all listed ones.
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

    /// Completes an item on disk.
    ///
    /// A removal that a power failure reverts causes one more attempt with the same key; a sync for each removal would
    /// cost more than that.
    func complete(_ entry: OutboxEntry, _ completion: ItemCompletion) throws(SessionStoreError) {
        switch completion {
        case .remove: try waiting.removeWithoutSync(entry.file)
        case .moveToDeadLetters(let record): try moveToDeadLetters(entry, record)
        }
        recordRemoval(entry)
    }

    /// Makes an item a dead letter, after writing the reason, so that no dead letter lacks one.
    private func moveToDeadLetters(_ entry: OutboxEntry, _ record: OutboxDeadLetterRecord) throws(SessionStoreError) {
        guard let bytes = try? JSONEncoder().encode(record) else {
            throw SessionStoreError(.failed, "the reason cannot be encoded")
        }
        // The lane's lock makes this process the only writer of the file.
        try dead.write(bytes, to: Self.reasonFile(entry), by: ".\(entry.id)")
        guard try waiting.move(entry.file, to: dead, as: entry.file) else {
            // It was discarded in the meantime, and so is the reason.
            if dead.size(of: entry.file) == nil { try dead.removeWithoutSync(Self.reasonFile(entry)) }
            return
        }
        recordDeadLetter(entry, by: 1)
        try dead.syncDirectory()
        try waiting.syncDirectory()
    }

    /// Removes the file of a held lock, because its lane is empty.
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

    /// Removes all items; a process that is sending one finds it gone.
    func discardEverything() throws(SessionStoreError) {
        let listing = try list()
        for entry in listing.waiting { try waiting.removeWithoutSync(entry.file) }
        try waiting.syncDirectory()
        let letters = listing.dead ?? []
        for entry in letters { try dead.removeWithoutSync(entry.file) }
        try removeReasons(of: letters)
        _ = try list()
    }

    func discard(_ entry: OutboxEntry) throws(SessionStoreError) {
        try dead.removeWithoutSync(entry.file)
        recordDeadLetter(entry, by: -1)
        try removeReasons(of: [entry])
    }
}

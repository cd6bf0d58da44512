// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

extension OutboxFolder {
    /// What somebody who wants to send an item finds.
    enum Taking: Sendable {
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
    enum Deed: Sendable {
        case remove
        case bury(OutboxDeathRecord)
    }

    /// The name of the lock of a lane.
    static func laneLock(_ lane: String) -> String { "\(FileName.escaped(lane)).lock" }

    /// Takes an item in order to send it, if by the listing with the serial `listing` it is the first of its lane.
    func take(_ entry: OutboxEntry, by listing: Int) throws(StoreUnavailable) -> Taking {
        let name = Self.laneLock(entry.lane)
        guard let lock = try lanes.attemptRemovableLock(name) else { return .busy }
        let lane = LaneLock(lock: lock, name: name)
        do throws(StoreUnavailable) {
            // What others have put down unseen has greater numbers than all that were seen.
            let known = knowledge
            guard known.listing == listing, entry.number <= known.number ?? 0 else {
                lane.release()
                return .outdated
            }
            guard let bytes = try waiting.read(entry.file, largest: .max) else {
                noteGone(entry)
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
    func settle(_ entry: OutboxEntry, _ deed: Deed) throws(StoreUnavailable) {
        switch deed {
        case .remove: try waiting.removeLightly(entry.file)
        case .bury(let record): try bury(entry, record)
        }
        noteGone(entry)
    }

    /// Sets an item aside: the reason first, so that no dead letter is without one.
    private func bury(_ entry: OutboxEntry, _ record: OutboxDeathRecord) throws(StoreUnavailable) {
        guard let bytes = try? JSONEncoder().encode(record) else {
            throw StoreUnavailable(.failed, "the reason cannot be encoded")
        }
        // Under the lane's lock nobody else writes this file.
        try dead.write(bytes, to: Self.why(entry), by: ".\(entry.id)")
        guard try waiting.move(entry.file, to: dead, as: entry.file) else {
            // Discarded meanwhile, and so is the reason.
            if dead.size(of: entry.file) == nil { try dead.removeLightly(Self.why(entry)) }
            return
        }
        noteDead(entry, by: 1)
        try dead.persistNames()
        try waiting.persistNames()
    }

    /// Removes the file of a lock that is held, because nothing of its lane is left.
    func tidyUp(_ lane: LaneLock) { lane.lock.whileHeld { try? lanes.removeLightly(lane.name) } }

    // MARK: Dead letters

    func deadLetters() throws(StoreUnavailable) -> [OutboxDeadLetter] {
        var letters: [OutboxDeadLetter] = []
        for entry in try Self.entries(in: dead) { letters.append(try record(of: entry).letter(entry)) }
        return letters
    }

    func record(of entry: OutboxEntry) throws(StoreUnavailable) -> OutboxDeathRecord {
        let bytes = try dead.read(Self.why(entry))
        let record = bytes.flatMap { try? JSONDecoder().decode(OutboxDeathRecord.self, from: $0) }
        return record ?? OutboxDeathRecord(.damaged, at: entry.date, attempts: 0)
    }

    func deadLetter(_ id: UUID) throws(StoreUnavailable) -> OutboxEntry? {
        try Self.entries(in: dead).first { $0.id == id }
    }

    /// Removes everything there is; whoever sends some of it finds it gone.
    func discardEverything() throws(StoreUnavailable) {
        let listing = try list()
        for entry in listing.waiting { try waiting.removeLightly(entry.file) }
        try waiting.persistNames()
        for entry in listing.dead ?? [] {
            try dead.removeLightly(entry.file)
            try dead.removeLightly(Self.why(entry))
        }
        try dead.persistNames()
        _ = try list()
    }

    func discard(_ entry: OutboxEntry) throws(StoreUnavailable) {
        try dead.removeLightly(entry.file)
        noteDead(entry, by: -1)
        try dead.removeLightly(Self.why(entry))
        try dead.persistNames()
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit
internal import FreshetWire

extension OutboxFolder {
    /// The result of a merge.
    struct Merge: Sendable {
        /// The number of moved items and dead letters.
        var moved = 0
        /// The number of items left behind, because a process is sending an item of their lane.
        var left = 0
    }

    /// A file that changes whenever items with older numbers are moved in.
    static let mergeFile = "merge"

    /// Moves the items and dead letters of another folder into this one.
    ///
    /// Items keep their numbers, and thereby their order and age. Each is moved atomically, so that after a crash it is
    /// in one of the two folders. A lane with an item that is being sent is not moved.
    func merge(_ other: OutboxFolder) throws(SessionStoreError) -> Merge {
        let found = try other.list()
        let dead = found.dead ?? []
        var merge = Merge()
        guard !found.waiting.isEmpty || !dead.isEmpty else { return merge }
        let locks = try other.lock(Set(found.waiting.map { Self.laneLock($0.lane) }))
        defer { for lock in locks.values { lock.release() } }
        let items = found.waiting.filter { locks[Self.laneLock($0.lane)] != nil }
        merge.left = found.waiting.count - items.count
        // Items stored here from now on follow all of them, including items that are moved later.
        try raiseNumber(above: found.waiting.last?.number ?? 0)
        guard !items.isEmpty || !dead.isEmpty else { return merge }
        // Other processes detect new items by the number. This file tells them that moved items may precede known ones.
        try announceMerge()
        for item in items where try other.waiting.move(item.file, to: waiting, as: item.file) { merge.moved += 1 }
        try waiting.syncDirectory()
        try other.waiting.syncDirectory()
        for name in locks.keys { try other.lanes.removeWithoutSync(name) }
        var taken: [OutboxEntry] = []
        for letter in dead where try take(letter, from: other) { taken.append(letter) }
        merge.moved += taken.count
        try self.dead.syncDirectory()
        try other.removeReasons(of: taken)
        // A second announcement for processes that listed the folder between the first one and the last move.
        try announceMerge()
        _ = try other.list()
        _ = try list()
        return merge
    }

    /// Locks lanes without waiting.
    ///
    /// - Parameter names: The names of the lanes' lock files.
    /// - Returns: The locks by name, without lanes that another process has locked.
    /// - Throws: The error of a lock file.
    private func lock(_ names: Set<String>) throws(SessionStoreError) -> [String: FileLock] {
        var locks: [String: FileLock] = [:]
        do throws(SessionStoreError) {
            for name in names { locks[name] = try lanes.tryRemovableLock(name) }
        } catch {
            for lock in locks.values { lock.release() }
            throw error
        }
        return locks
    }

    /// Makes all later numbers greater than this one, independent of the clock.
    private func raiseNumber(above number: UInt64) throws(SessionStoreError) {
        guard cachedState.number ?? 0 < number else { return }
        try draw(1, at: Date(timeIntervalSince1970: (Double(number) + 2) / 1e6)) { numbers, isAlone in
            known.withLock { known in
                if isAlone { known.number = numbers.upperBound } else { known.ahead.formUnion(numbers) }
            }
        }
    }

    private func announceMerge() throws(SessionStoreError) {
        try draw(1, at: .distantPast) { _, _ throws(SessionStoreError) in
            try base.write(Data(UUID.random().uuidString.utf8), to: Self.mergeFile, by: ".\(Self.mergeFile)")
        }
    }

    /// Moves a dead letter, after copying its reason, so that no dead letter lacks one.
    private func take(_ letter: OutboxEntry, from other: OutboxFolder) throws(SessionStoreError) -> Bool {
        let why = Self.reasonFile(letter)
        if let reason = try other.dead.read(why) { try dead.write(reason, to: why, by: ".\(letter.id)") }
        guard try other.dead.move(letter.file, to: dead, as: letter.file) else {
            // It was retried or discarded in the meantime.
            if dead.size(of: letter.file) == nil { try dead.removeWithoutSync(why) }
            return false
        }
        return true
    }
}

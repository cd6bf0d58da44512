// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit

/// The stored items of one account, shared by several processes.
///
///     waiting/     one file per item; its name has the number, ID and lane
///     dead/        the same files, and for each the reason in `why.` plus its name
///     lanes/       a lock for each lane that is being sent
///     number       the greatest number so far; a process locks this file to draw numbers
///     merge        changes whenever items of another account's folder were moved into this one
///
/// Items are created, moved and removed atomically. A process creates items under the lock under which it draws their
/// numbers, so that they appear in the order of their numbers. A process that sends an item, or makes it a dead letter,
/// holds its lane's lock.
final class OutboxFolder: Sendable {
    /// The cached state of the folder; no I/O happens under its lock.
    struct CachedState: Sendable {
        var items = 0
        var bytes = 0
        var dead = 0
        var deadBytes = 0
        /// The number up to which this process drew or listed all items; `nil` before the first listing.
        var number: UInt64?
        /// The later numbers that this process drew.
        var ahead: Set<UInt64> = []
        /// The serial of the newest listing.
        var listing = 0
        /// The content of the merge file at that time.
        var merge: Data?
    }

    /// An item to be stored.
    struct Draft: Sendable {
        var id: UUID
        var lane: String
        var bytes: Data
    }

    /// The waiting items and the dead letters.
    struct Listing: Sendable {
        var waiting: [OutboxEntry]
        /// The dead letters; `nil` if only new items were listed.
        var dead: [OutboxEntry]?
        /// The serial of the listing, to detect outdated ones.
        var serial = 0
    }

    /// The result of storing batches, with one entry per batch.
    struct Appended: Sendable {
        var batches: [Result<[OutboxEntry], OutboxError>]
        var serial: Int
    }

    private static let numberFile = "number"

    let waiting: SecureFolder
    let dead: SecureFolder
    let lanes: SecureFolder
    let base: SecureFolder
    let known = Locked(CachedState())
    private let serials: Locked<Int>

    /// Opens or creates the folder; `nil` if it does not exist and is not to be created.
    ///
    /// - Parameters:
    ///   - path: The folder.
    ///   - creating: Whether to create it.
    ///   - serials: The counter of operations, kept when the folder is reopened.
    ///   - environment: The locking and protection of files.
    /// - Throws: ``SessionStoreError``.
    init?(
        _ path: String,
        creating: Bool,
        _ serials: Locked<Int>,
        environment: FileEnvironment = .current
    ) throws(SessionStoreError) {
        guard let base = try SecureFolder.open(path, creating: creating, parents: false, environment: environment),
            let waiting = try Self.part("waiting", of: path, environment),
            let dead = try Self.part("dead", of: path, environment),
            let lanes = try Self.part("lanes", of: path, environment)
        else { return nil }
        self.base = base
        self.waiting = waiting
        self.dead = dead
        self.lanes = lanes
        self.serials = serials
    }

    private static func part(
        _ name: String,
        of path: String,
        _ environment: FileEnvironment
    ) throws(SessionStoreError) -> SecureFolder? {
        try SecureFolder.open("\(path)/\(name)", creating: true, parents: false, environment: environment)
    }

    func nextSerial() -> Int {
        serials.withLock { serial in
            serial += 1
            return serial
        }
    }

    var cachedState: CachedState { known.withLock { $0 } }

    // MARK: Reading

    /// Lists all items, in order.
    func list() throws(SessionStoreError) -> Listing {
        let lock = try base.lock(Self.numberFile)
        defer { lock.release() }
        return try list(under: lock)
    }

    private func list(under lock: FileLock) throws(SessionStoreError) -> Listing {
        var (waiting, dead) = (try Self.entries(in: waiting), try Self.entries(in: dead))
        // The number's file is not synced: after a power failure, it may be lower than the items' numbers.
        let numbers = (waiting + dead).map(\.number).filter { $0 <= OutboxEntry.largestNumber }
        var greatest = max(numbers.max() ?? 0, lock.number ?? 0)
        try renumber(&waiting, after: &greatest)
        var listing = Listing(waiting: waiting, dead: dead)
        if lock.number != greatest { try lock.write(greatest) }
        listing.serial = nextSerial()
        let merge = try base.read(Self.mergeFile)
        known.withLock { [listing, waiting, dead, greatest] known in
            known.merge = merge
            known.items = waiting.count
            known.bytes = waiting.totalBytes
            known.dead = dead.count
            known.deadBytes = dead.totalBytes
            known.number = greatest
            known.ahead = []
            known.listing = listing.serial
        }
        return listing
    }

    /// Assigns the next numbers to items with invalid numbers, so that these items can be sent and followed by others.
    private func renumber(_ entries: inout [OutboxEntry], after greatest: inout UInt64) throws(SessionStoreError) {
        guard let start = entries.firstIndex(where: { $0.number > OutboxEntry.largestNumber }) else { return }
        for index in entries[start...].indices {
            var entry = entries[index]
            greatest += 1
            entry.number = greatest
            guard try waiting.move(entries[index].file, to: waiting, as: entry.file) else { continue }
            entries[index] = entry
        }
    }

    /// Lists only the items stored since the last listing, or all items if that is not possible.
    func listNew() throws(SessionStoreError) -> Listing {
        let lock = try base.lock(Self.numberFile)
        defer { lock.release() }
        guard let known = cachedState.number, let greatest = lock.number,
            try base.read(Self.mergeFile) == cachedState.merge
        else { return try list(under: lock) }
        var listing = Listing(waiting: try Self.entries(in: waiting, after: known))
        if listing.waiting.contains(where: { $0.number > OutboxEntry.largestNumber }) { return try list(under: lock) }
        listing.serial = nextSerial()
        self.known.withLock { [listing] known in
            for entry in listing.waiting where !known.ahead.contains(entry.number) {
                known.items += 1
                known.bytes = known.bytes.adding(clamped: entry.bytes)
            }
            known.number = greatest
            known.ahead = []
            known.listing = listing.serial
        }
        return listing
    }

    static func entries(
        in folder: borrowing SecureFolder,
        after number: UInt64? = nil
    ) throws(SessionStoreError) -> [OutboxEntry] {
        var entries: [OutboxEntry] = []
        let last = number.map { "\(OutboxEntry.digits($0))/" } ?? ""
        for name in try folder.names() where name > last {
            if name.hasPrefix("."), folder.age(of: name) ?? 0 > 3_600 {
                // The file was left by a process that exited before renaming it.
                try folder.removeWithoutSync(name)
                continue
            }
            guard var entry = OutboxEntry(file: name, bytes: 0), let bytes = folder.size(of: name) else { continue }
            entry.bytes = bytes
            entries.append(entry)
        }
        return entries.sorted { $0.number < $1.number }
    }

    /// Returns the number of waiting items, listing them only if they changed.
    func count() throws(SessionStoreError) -> Int {
        if try !isUpToDate() { _ = try list() }
        return cachedState.items
    }

    /// Whether this process knows all stored items and dead letters.
    ///
    /// Other processes draw a number for each item that they store. They deliver and discard items, and make dead letters,
    /// without drawing one, so that their numbers are compared, too.
    func isUpToDate() throws(SessionStoreError) -> Bool {
        guard let known = cachedState.number, let text = try base.read(Self.numberFile),
            OutboxEntry.number(text) == known
        else { return false }
        let stored = (items: try Self.count(of: waiting), dead: try Self.count(of: dead))
        return stored == (cachedState.items, cachedState.dead)
    }

    private static func count(of folder: borrowing SecureFolder) throws(SessionStoreError) -> Int {
        let names = try folder.names()
        return names.count { OutboxEntry(file: $0, bytes: 0) != nil }
    }

    // MARK: Numbers

    /// Draws numbers, under a lock that excludes other processes.
    ///
    /// - Parameters:
    ///   - count: The number of numbers, at least one.
    ///   - now: The device's date.
    ///   - use: Uses them while no other process draws any; `isAlone` means that no other process has drawn any since
    ///     the last listing.
    /// - Returns: The result of `use`.
    /// - Throws: The error of `use`, or of drawing.
    func draw<Value>(
        _ count: Int,
        at now: Date,
        _ use: (_ numbers: ClosedRange<UInt64>, _ isAlone: Bool) throws(SessionStoreError) -> Value
    ) throws(SessionStoreError) -> Value {
        let lock = try base.lock(Self.numberFile)
        defer { lock.release() }
        if cachedState.number == nil || lock.number == nil { _ = try list(under: lock) }
        let (known, last) = (cachedState.number ?? 0, lock.number ?? 0)
        guard let numbers = OutboxEntry.numbers(count, after: max(known, last), at: now) else {
            throw SessionStoreError(.damaged, "the outbox has no number left for another item")
        }
        // The number is written before the item, so that it is never drawn again, even after a crash.
        try lock.write(numbers.upperBound)
        return try use(numbers, known == last)
    }

    // MARK: Retrying

    /// Moves a dead letter back to the waiting items.
    ///
    /// - Parameters:
    ///   - entry: The dead letter.
    ///   - keepsPlace: Whether it returns to its old position, instead of the end of its lane.
    ///   - now: The device's date.
    /// - Returns: The item; `nil` if the dead letter no longer exists.
    /// - Throws: ``SessionStoreError``.
    func requeue(_ entry: OutboxEntry, keepsPlace: Bool, at now: Date) throws(SessionStoreError) -> OutboxEntry? {
        // A number is drawn in any case, because other processes detect the item by the drawn number.
        let item = try draw(1, at: now) { numbers, _ throws(SessionStoreError) -> OutboxEntry? in
            var item = entry
            if !keepsPlace { item.number = numbers.lowerBound }
            return try dead.move(entry.file, to: waiting, as: item.file) ? item : nil
        }
        guard let item else { return nil }
        try waiting.syncDirectory()
        try removeReasons(of: [entry])
        known.withLock { known in
            known.items += 1
            known.bytes = known.bytes.adding(clamped: entry.bytes)
            known.dead = max(0, known.dead - 1)
            known.deadBytes = max(0, known.deadBytes - entry.bytes)
        }
        return item
    }

    /// Removes the reasons of dead letters that were moved or removed.
    ///
    /// A power failure may undo a removal and keep a later one: a dead letter that returns still has its reason.
    func removeReasons(of entries: [OutboxEntry]) throws(SessionStoreError) {
        try dead.syncDirectory()
        for entry in entries { try dead.removeWithoutSync(Self.reasonFile(entry)) }
    }

    /// Returns the name of the file with a dead letter's reason.
    static func reasonFile(_ entry: OutboxEntry) -> String { "why.\(entry.file)" }

    func recordRemoval(_ entry: OutboxEntry) {
        known.withLock { known in
            known.items = max(0, known.items - 1)
            known.bytes = max(0, known.bytes - entry.bytes)
        }
    }

    func recordDeadLetter(_ entry: OutboxEntry, by sign: Int) {
        known.withLock { known in
            known.dead = max(0, known.dead + sign)
            known.deadBytes = max(0, known.deadBytes.adding(clamped: sign * entry.bytes))
        }
    }
}

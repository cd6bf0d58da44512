// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit

/// The items of one account on disk, safe for several processes.
///
///     waiting/     a file an item; its name tells number, ID and lane
///     dead/        the same files, and for each the reason as `why.` and its name
///     lanes/       a lock for each lane that is being sent
///     number       the greatest number so far, and the lock under which it is drawn
///     merge        changes whenever items of another account's folder were moved into this one
///
/// An item comes into being, moves and goes by one step that a crash cannot divide. Whoever puts items in place draws
/// their numbers under the same lock, so that they are seen in the order of their numbers. Whoever sends an item, or sets
/// it aside, holds its lane's lock.
final class OutboxFolder: Sendable {
    /// What this process knows; nothing but plain values is touched under the lock.
    struct CachedState: Sendable {
        var items = 0
        var bytes = 0
        var dead = 0
        var deadBytes = 0
        /// All items up to this number were drawn or seen by this process; `nil` before the folder was first read.
        var number: UInt64?
        /// Later numbers that this process drew.
        var ahead: Set<UInt64> = []
        /// The serial of the newest listing.
        var listing = 0
        /// What the merge file held then.
        var merge: Data?
    }

    /// An item to be put down.
    struct Draft: Sendable {
        var id: UUID
        var lane: String
        var bytes: Data
    }

    /// What waits, and what does not any more.
    struct Listing: Sendable {
        var waiting: [OutboxEntry]
        /// `nil` if only what is new was listed.
        var dead: [OutboxEntry]?
        /// Tells what is told late from news.
        var serial = 0
    }

    /// What became of batches that were to be put down, each a success or a failure.
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

    /// Opens the folder, or makes it; `nil` if there is none and none is to be made.
    ///
    /// - Parameters:
    ///   - path: The folder.
    ///   - creating: Whether to make one.
    ///   - serials: Counts what is done here, also after the folder was opened anew.
    ///   - environment: What files are subject to.
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

    /// Everything that is there now, in order.
    func list() throws(SessionStoreError) -> Listing {
        let lock = try base.lock(Self.numberFile)
        defer { lock.release() }
        return try list(under: lock)
    }

    private func list(under lock: FileLock) throws(SessionStoreError) -> Listing {
        var (waiting, dead) = (try Self.entries(in: waiting), try Self.entries(in: dead))
        // The number's file is not made durable: after the end of power the items know better.
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

    /// Gives items whose number cannot have been drawn the next ones, so that they are sent and others come behind them.
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

    /// What was put down since this process last looked, and hardly more than that is looked at.
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
                // Begun by a process that did not live to put it in place.
                try folder.removeWithoutSync(name)
                continue
            }
            guard var entry = OutboxEntry(file: name, bytes: 0), let bytes = folder.size(of: name) else { continue }
            entry.bytes = bytes
            entries.append(entry)
        }
        return entries.sorted { $0.number < $1.number }
    }

    /// How many items wait, as far as this process knows, unless there are new ones.
    func count() throws(SessionStoreError) -> Int {
        if try !isUpToDate() { _ = try list() }
        return cachedState.items
    }

    /// Whether this process has seen all items that were put down.
    func isUpToDate() throws(SessionStoreError) -> Bool {
        guard let known = cachedState.number else { return false }
        guard let text = try base.read(Self.numberFile) else { return false }
        return OutboxEntry.number(text) == known
    }

    // MARK: Numbers

    /// Draws numbers, under the lock that keeps others from doing so.
    ///
    /// - Parameters:
    ///   - count: How many, one at least.
    ///   - now: What the device believes the date to be.
    ///   - use: What to do with them while nobody else draws any; `isAlone` says that nobody did since this process last
    ///     looked.
    /// - Returns: What `use` returns.
    /// - Throws: What `use` throws, or why no number can be drawn.
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
        // First the number, then the item: nobody draws it again, whatever happens in between.
        try lock.write(numbers.upperBound)
        return try use(numbers, known == last)
    }

    // MARK: Going back

    /// Puts a dead letter back among the items that wait.
    ///
    /// - Parameters:
    ///   - entry: The dead letter.
    ///   - keepsPlace: Whether it goes back to where it was, instead of to the end of its lane.
    ///   - now: What the device believes the date to be.
    /// - Returns: The item; `nil` if the dead letter is gone.
    /// - Throws: ``SessionStoreError``.
    func requeue(_ entry: OutboxEntry, keepsPlace: Bool, at now: Date) throws(SessionStoreError) -> OutboxEntry? {
        // A number is drawn in any case: others see by it that there is something new.
        let item = try draw(1, at: now) { numbers, _ throws(SessionStoreError) -> OutboxEntry? in
            var item = entry
            if !keepsPlace { item.number = numbers.lowerBound }
            return try dead.move(entry.file, to: waiting, as: item.file) ? item : nil
        }
        guard let item else { return nil }
        try waiting.syncDirectory()
        try dead.removeWithoutSync(Self.reasonFile(entry))
        try dead.syncDirectory()
        known.withLock { known in
            known.items += 1
            known.bytes = known.bytes.adding(clamped: entry.bytes)
            known.dead = max(0, known.dead - 1)
            known.deadBytes = max(0, known.deadBytes - entry.bytes)
        }
        return item
    }

    /// The name of the file that says why an item was set aside.
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

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The keys of one kind, by number: the one in use, the announced one, and those that only verify.
///
/// A key is published before it is used, so that verifiers know it in time, and is kept after its use until no token
/// made with it can be presented any longer. Every server computes the same state from the schedule and the time, so a
/// planned change needs no action.
package struct KeySchedule: Codable, Equatable, Sendable {
    package struct Member: Codable, Equatable, Sendable {
        package var id: UInt8
        package var addedAt: Int64
        /// The time from which another key is used; `nil` for the key in use and for announced ones.
        package var supersededAt: Int64?

        package init(id: UInt8, addedAt: Int64, supersededAt: Int64? = nil) {
            self.id = id
            self.addedAt = addedAt
            self.supersededAt = supersededAt
        }
    }

    /// A planned change.
    package struct Promotion: Codable, Equatable, Sendable {
        package var id: UInt8
        package var at: Int64

        package init(id: UInt8, at: Int64) {
            self.id = id
            self.at = at
        }
    }

    /// The reason that an operation is refused.
    package enum Refusal: Error, Equatable, Sendable {
        /// The key does not exist.
        case unknown
        /// Tokens or mails made with the key may still be valid, and its file is missing.
        case missing
        /// It is the only key, the one in use, or the next one.
        case inUse
        /// Tokens or mails made with the key may still be valid.
        case needed
        /// Verifiers may not know it yet.
        case tooNew
        /// Another key has already replaced it.
        case overtaken
        /// No number is left.
        case exhausted
        /// A change is already planned.
        case underWay
        /// The keys are supplied by the operator; the server neither creates nor removes one.
        case supplied
    }

    package private(set) var members: [Member]
    package private(set) var current: UInt8
    package private(set) var currentSince: Int64
    package private(set) var promotion: Promotion?
    /// Numbers count up and are never reused: an unknown higher one was created by another server.
    package private(set) var lastID: UInt8
    /// Whether the keys are supplied by the operator instead of the server's own files; absent in older files.
    package private(set) var isSupplied: Bool?
    /// Retired keys; absent in older files.
    private var retired: [UInt8]?

    /// The numbers of retired keys.
    ///
    /// An older file does not list them: there, every assigned number without a member counts.
    package var retiredIDs: Set<UInt8> {
        if let retired { return Set(retired) }
        return lastID > 0 ? Set(1...lastID).subtracting(members.map(\.id)) : []
    }

    /// Creates a schedule for keys without a record; the highest is in use, or the `wanted` one.
    ///
    /// - Returns: `nil` if there are no keys.
    package init?(ids: some Collection<UInt8>, using wanted: UInt8? = nil, now: Timestamp) {
        guard let newest = ids.max() else { return nil }
        let time = now.milliseconds
        let used = wanted.flatMap { ids.contains($0) ? $0 : nil } ?? newest
        members = ids.sorted().map { Member(id: $0, addedAt: time, supersededAt: $0 < used ? time : nil) }
        current = used
        currentSince = time
        lastID = newest
        retired = []
    }

    /// Returns the schedule with the planned change applied, if it is due.
    package func advanced(to now: Timestamp) -> KeySchedule {
        guard let promotion, promotion.at <= now.milliseconds else { return self }
        var chain = self
        chain.use(promotion.id, since: promotion.at)
        return chain
    }

    /// The number of the next key.
    package func nextID() throws(Refusal) -> UInt8 {
        guard lastID < .max else { throw .exhausted }
        return lastID + 1
    }

    /// Announces a new key.
    package mutating func add(now: Timestamp) throws(Refusal) -> UInt8 {
        let id = try nextID()
        members.append(Member(id: id, addedAt: now.milliseconds))
        lastID = id
        return id
    }

    /// Announces a new key, and schedules its use.
    package mutating func rotate(now: Timestamp, activationDelay: Duration) throws(Refusal) -> UInt8 {
        guard promotion == nil else { throw .underWay }
        let id = try add(now: now)
        promotion = Promotion(id: id, at: (now + activationDelay).milliseconds)
        return id
    }

    /// Starts using a key, in place of a planned change: the operator's choice is the later one.
    ///
    /// - Parameters:
    ///   - id: Its number.
    ///   - now: The time.
    ///   - activationDelay: The time for which it must have been announced.
    /// - Throws: A ``Refusal``; the schedule is then unchanged.
    package mutating func promote(_ id: UInt8, now: Timestamp, activationDelay: Duration) throws(Refusal) {
        guard let member = members.first(where: { $0.id == id }) else { throw .unknown }
        guard id != current else { return }
        guard member.supersededAt == nil else { throw .overtaken }
        guard now.milliseconds - member.addedAt >= activationDelay.milliseconds else { throw .tooNew }
        use(id, since: now.milliseconds)
        promotion = nil
    }

    /// Removes a key.
    ///
    /// - Parameters:
    ///   - id: Its number.
    ///   - isNeeded: Returns whether a token or mail made with the key may still be valid, given the time since which
    ///     another key is used.
    /// - Throws: A ``Refusal``, or the error of `isNeeded`; the schedule is then unchanged.
    package mutating func retire(_ id: UInt8, isNeeded: (Timestamp) throws -> Bool) throws {
        guard let member = members.first(where: { $0.id == id }) else { throw Refusal.unknown }
        guard id != current, id != promotion?.id, members.count > 1 else { throw Refusal.inUse }
        // A key that was never used has made no tokens.
        if let superseded = member.supersededAt, try isNeeded(Timestamp(milliseconds: superseded)) {
            throw Refusal.needed
        }
        remove(id)
    }

    /// Returns the schedule without a lost key.
    ///
    /// - Returns: `nil` if no other key is left.
    package func losing(_ id: UInt8, now: Timestamp) -> KeySchedule? {
        var chain = self
        chain.remove(id)
        guard let newest = chain.members.map(\.id).max() else { return nil }
        if chain.promotion?.id == id { chain.promotion = nil }
        if chain.current == id { chain.use(newest, since: now.milliseconds) }
        return chain
    }

    /// Updates the schedule to the keys that the operator supplies.
    ///
    /// A new key is published, and used once verifiers have had time to fetch it. A key that is no longer supplied is
    /// removed at once, because this is how a stolen key is revoked.
    ///
    /// - Parameters:
    ///   - ids: The numbers of the supplied keys.
    ///   - wanted: The key to use; `nil` for the highest number.
    ///   - now: The time.
    ///   - activationDelay: The time for which a key must have been announced.
    package mutating func follow(_ ids: Set<UInt8>, using wanted: UInt8?, now: Timestamp, activationDelay: Duration) {
        guard let highest = ids.max() else { return }
        self = advanced(to: now)
        isSupplied = true
        let known = Set(members.map(\.id))
        // A key that was only announced made no token here, and another server may use it.
        for member in members where !ids.contains(member.id) {
            remove(member.id, isRetired: member.id == current || member.supersededAt != nil)
        }
        retired = retiredIDs.subtracting(ids).sorted()
        for id in ids.subtracting(known).sorted() { members.append(Member(id: id, addedAt: now.milliseconds)) }
        lastID = max(lastID, highest)
        let target = wanted.flatMap { ids.contains($0) ? $0 : nil } ?? highest
        guard target != current else {
            promotion = nil
            return
        }
        guard ids.contains(current) else {
            promotion = nil
            return use(target, since: now.milliseconds)
        }
        if promotion?.id != target {
            let announced = members.first { $0.id == target }?.addedAt ?? now.milliseconds
            promotion = Promotion(id: target, at: max(now.milliseconds, announced + activationDelay.milliseconds))
        }
        self = advanced(to: now)
    }

    /// Returns the schedule restricted to the keys that the server has.
    package func limited(to ids: Set<UInt8>) -> KeySchedule {
        guard let highest = ids.max() else { return self }
        var chain = self
        chain.members.removeAll { !ids.contains($0.id) }
        for id in ids.subtracting(members.map(\.id)).sorted() {
            chain.members.append(Member(id: id, addedAt: currentSince))
        }
        if !ids.contains(current) { chain.current = chain.members.last { $0.supersededAt != nil }?.id ?? highest }
        return chain
    }

    /// Records that the keys are the server's own files again.
    package mutating func takeBack() { isSupplied = nil }

    /// Whether the next key is due.
    package func isDue(now: Timestamp, interval: Duration) -> Bool {
        promotion == nil && now.milliseconds - currentSince >= interval.milliseconds
            && !members.contains { $0.supersededAt == nil && $0.id != current }
    }

    private mutating func remove(_ id: UInt8, isRetired: Bool = true) {
        let before = retiredIDs
        members.removeAll { $0.id == id }
        retired = (isRetired ? before.union([id]) : before).sorted()
    }

    private mutating func use(_ id: UInt8, since moment: Int64) {
        if let index = members.firstIndex(where: { $0.id == current }) { members[index].supersededAt = moment }
        current = id
        currentSince = moment
        // A key that is supplied again is in use like any other.
        if let index = members.firstIndex(where: { $0.id == id }) { members[index].supersededAt = nil }
        if promotion?.id == id { promotion = nil }
    }
}

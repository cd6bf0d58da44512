// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

/// Token buckets by key, in bounded memory and in constant time per operation.
///
/// A bucket that is full again is removed: each insertion checks the next two slots, and frees those that expired. When
/// all slots are in use, the bucket with the most tokens is replaced, the least recently charged among equals. **An
/// empty bucket is never replaced**: if all are empty, new keys share one bucket for each limit, so that an attacker
/// who fills the table gains no attempts.
///
/// The number of slots and of hash chains is fixed, so no operation rehashes or scans the table.
package struct TokenBucketTable: Sendable {
    /// The number of ranks: a bucket's rank is the used share of its limit in sevenths, and buckets without a token
    /// have the last rank.
    private static let rankCount = 8
    private static let emptyRank = rankCount - 1
    /// The number of empty buckets that are checked for a regained token.
    private static let probes = 4
    /// The end of a chain or list.
    private static let none: Int32 = -1

    private struct Slot {
        var key: Bits128
        var fullAt: Int64
        /// The limit; `nil` for a bucket that was restored and not charged since.
        var limit: RateLimit?
        /// The rank of the bucket; `-1` while the slot is free.
        var rank: Int8
        /// The next slot of the hash chain, or of the free slots.
        var chained: Int32
        /// Neighbours among the buckets of one rank, in the order in which they were charged.
        var older: Int32
        var newer: Int32
    }

    private struct List {
        var oldest = TokenBucketTable.none
        var newest = TokenBucketTable.none
    }

    private let capacity: Int
    private var slots: [Slot] = []
    private var chains: [Int32]
    private var ranks = [List](repeating: List(), count: rankCount)
    private var firstFree = none
    /// The next slot that an insertion checks for expiry.
    private var hand = 0
    /// The buckets shared by keys for which the table has no slot.
    private var shared: [RateLimit: TokenBucket] = [:]

    /// The number of keys in the table.
    package private(set) var count = 0
    /// The number of slots visited by all operations so far, for tests.
    package private(set) var slotsVisited = 0

    /// Creates an empty table.
    ///
    /// - Parameter capacity: The maximum number of keys.
    package init(capacity: Int = 262_144) {
        self.capacity = max(1, min(capacity, Int(Int32.max)))
        var size = 1
        while size < self.capacity { size *= 2 }
        chains = Array(repeating: Self.none, count: size)
    }

    // MARK: - Operations

    /// Returns the time until every bucket has a token, or `nil` if all have one.
    package mutating func wait(_ charges: [(key: Bits128, limit: RateLimit)], now: Timestamp) -> Duration? {
        charges.compactMap { bucket($0.key, $0.limit, now).wait($0.limit, now: now) }.max()
    }

    /// Takes a token from every bucket, or from none.
    ///
    /// - Parameters:
    ///   - charges: Each key once.
    ///   - now: The current time.
    /// - Returns: The time to wait if one of them has none.
    package mutating func take(_ charges: [(key: Bits128, limit: RateLimit)], now: Timestamp) -> Duration? {
        if let wait = wait(charges, now: now) { return wait }
        for (key, limit) in charges {
            var bucket = bucket(key, limit, now)
            _ = bucket.take(limit, now: now)
            store(bucket, key, limit, now)
        }
        return nil
    }

    /// Puts a token back.
    package mutating func giveBack(_ key: Bits128, _ limit: RateLimit, now: Timestamp) {
        guard let index = find(key) else { return }
        var bucket = TokenBucket(fullAt: Timestamp(milliseconds: slots[index].fullAt))
        bucket.giveBack(limit)
        store(bucket, key, limit, now)
    }

    /// Applies a bucket's state if it has fewer tokens than known here, because other servers charged it.
    ///
    /// - Parameters:
    ///   - bucket: The state.
    ///   - key: The bucket's key.
    ///   - limit: The bucket's limit; `nil` if it is not known yet, so that the bucket counts as empty until it is
    ///     charged.
    ///   - now: The current time.
    package mutating func merge(_ bucket: TokenBucket, into key: Bits128, _ limit: RateLimit?, now: Timestamp) {
        guard bucket.fullAt > now else { return }
        if let index = find(key), slots[index].fullAt >= bucket.fullAt.milliseconds { return }
        store(bucket, key, limit, now)
    }

    // MARK: - Slots

    /// Returns the state of a bucket.
    ///
    /// A time in the far future, stored by a wrong clock, is also corrected in the table: otherwise the bucket would
    /// appear empty at each access and never regain a token.
    private mutating func bucket(_ key: Bits128, _ limit: RateLimit, _ now: Timestamp) -> TokenBucket {
        let latest = now + limit.refillTime
        if let index = find(key) {
            slots[index].fullAt = min(slots[index].fullAt, latest.milliseconds)
            return TokenBucket(fullAt: Timestamp(milliseconds: slots[index].fullAt))
        }
        let hasRoom = firstFree != Self.none || slots.count < capacity || evictable(now) != nil
        guard !hasRoom, let bucket = shared[limit] else { return .full }
        let corrected = TokenBucket(fullAt: min(bucket.fullAt, latest))
        shared[limit] = corrected
        return corrected
    }

    private mutating func store(_ bucket: TokenBucket, _ key: Bits128, _ limit: RateLimit?, _ now: Timestamp) {
        let rank = Self.rank(bucket, limit, now)
        if let index = find(key) {
            guard bucket.fullAt > now else { return remove(index) }
            unlink(index)
            slots[index].fullAt = bucket.fullAt.milliseconds
            slots[index].limit = limit ?? slots[index].limit
            return append(index, to: rank)
        }
        guard bucket.fullAt > now else { return }
        expire(now)
        guard makeRoom(now) else {
            if let limit { shared[limit] = bucket }
            return
        }
        let chain = chain(of: key)
        let slot = Slot(
            key: key,
            fullAt: bucket.fullAt.milliseconds,
            limit: limit,
            rank: -1,
            chained: chains[chain],
            older: Self.none,
            newer: Self.none
        )
        let index: Int
        if firstFree != Self.none {
            index = Int(firstFree)
            firstFree = slots[index].chained
            slots[index] = slot
        } else {
            index = slots.count
            slots.append(slot)
        }
        chains[chain] = Int32(index)
        count += 1
        append(index, to: rank)
    }

    /// Checks the next two slots, and frees those that expired.
    private mutating func expire(_ now: Timestamp) {
        for _ in 0..<min(2, slots.count) {
            hand = hand + 1 < slots.count ? hand + 1 : 0
            slotsVisited += 1
            if slots[hand].rank >= 0, slots[hand].fullAt <= now.milliseconds { remove(hand) }
        }
    }

    /// Frees a slot if there is none.
    ///
    /// - Returns: `false` if every slot has an empty bucket.
    private mutating func makeRoom(_ now: Timestamp) -> Bool {
        if firstFree != Self.none || slots.count < capacity { return true }
        if let index = evictable(now) {
            remove(index)
            return true
        }
        // The next insertion checks other slots.
        for _ in 0..<Self.probes {
            let index = Int(ranks[Self.emptyRank].oldest)
            unlink(index)
            append(index, to: Self.emptyRank)
        }
        return false
    }

    /// Returns the slot to replace for a new key while all are in use; `nil` if the checked ones are empty buckets.
    private mutating func evictable(_ now: Timestamp) -> Int? {
        for rank in 0..<Self.emptyRank where ranks[rank].oldest != Self.none {
            slotsVisited += 1
            return Int(ranks[rank].oldest)
        }
        var next = ranks[Self.emptyRank].oldest
        for _ in 0..<Self.probes where next != Self.none {
            slotsVisited += 1
            let slot = slots[Int(next)]
            let bucket = TokenBucket(fullAt: Timestamp(milliseconds: slot.fullAt))
            if bucket.fullAt <= now || Self.rank(bucket, slot.limit, now) < Self.emptyRank { return Int(next) }
            next = slot.newer
        }
        return nil
    }

    private static func rank(_ bucket: TokenBucket, _ limit: RateLimit?, _ now: Timestamp) -> Int {
        guard let limit, bucket.wait(limit, now: now) == nil else { return emptyRank }
        return min(emptyRank - 1, bucket.used(of: limit, now: now) * emptyRank / max(1, limit.capacity))
    }

    // MARK: - Chains and lists

    private func chain(of key: Bits128) -> Int { key.hashValue & (chains.count - 1) }

    private mutating func find(_ key: Bits128) -> Int? {
        var next = chains[chain(of: key)]
        while next != Self.none {
            slotsVisited += 1
            if slots[Int(next)].key == key { return Int(next) }
            next = slots[Int(next)].chained
        }
        return nil
    }

    private mutating func remove(_ index: Int) {
        let chain = chain(of: slots[index].key)
        if chains[chain] == Int32(index) {
            chains[chain] = slots[index].chained
        } else {
            var before = Int(chains[chain])
            while slots[before].chained != Int32(index) {
                slotsVisited += 1
                before = Int(slots[before].chained)
            }
            slots[before].chained = slots[index].chained
        }
        unlink(index)
        slots[index].rank = -1
        slots[index].chained = firstFree
        firstFree = Int32(index)
        count -= 1
    }

    private mutating func append(_ index: Int, to rank: Int) {
        let newest = ranks[rank].newest
        slots[index].rank = Int8(rank)
        slots[index].older = newest
        slots[index].newer = Self.none
        if newest == Self.none { ranks[rank].oldest = Int32(index) } else { slots[Int(newest)].newer = Int32(index) }
        ranks[rank].newest = Int32(index)
    }

    private mutating func unlink(_ index: Int) {
        let (older, newer, rank) = (slots[index].older, slots[index].newer, Int(slots[index].rank))
        if older == Self.none { ranks[rank].oldest = newer } else { slots[Int(older)].newer = newer }
        if newer == Self.none { ranks[rank].newest = older } else { slots[Int(newer)].older = older }
    }
}

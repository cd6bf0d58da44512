// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity

@Suite struct `The cache of revoked sessions` {
    private let now = Timestamp(milliseconds: 1_800_000_000_000)

    private func ending(_ id: SessionID, at moment: Timestamp? = nil) -> SessionTable.Ended {
        SessionTable.Ended(id: id, user: UUID(), at: moment ?? now, reason: .logout)
    }

    private func claims(_ id: SessionID, issuedAt moment: Timestamp) -> AccessClaims {
        AccessClaims(user: UUID(), session: id, issuedAt: moment, expiresAt: moment + .seconds(600))
    }

    @Test func `only one of many concurrent inserts of a revocation reports the revocation as new`() async {
        let ended = RevokedSessionCache(maximumTokenLifetime: .seconds(660))
        let ids = (0..<200).map { _ in SessionID.random() }
        let new = await withTaskGroup(of: Int.self) { group in
            for task in 0..<16 {
                group.addTask { [now] in
                    ids.reduce(0) { count, id in
                        let isNew =
                            task % 2 == 0
                            ? !ended.insert([id], .logout, at: now).isEmpty
                            : !ended.insert(found: [ending(id)], at: now).isEmpty
                        return count + (isNew ? 1 : 0)
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(new == ids.count)
        #expect(ended.count == ids.count)
    }

    @Test func `a revocation that a request of this server claims is not attributed to another process`() {
        let ended = RevokedSessionCache(maximumTokenLifetime: .seconds(660))
        let (own, other) = (SessionID.random(), SessionID.random())
        #expect(ended.insert(found: [ending(own), ending(other)], at: now).map(\.id) == [own, other])
        #expect(ended.insert([own], .logout, at: now) == [])
        #expect(ended.takeUnclaimed(foundBefore: .now - .seconds(60)) == [])
        #expect(ended.takeUnclaimed(foundBefore: .now).map(\.id) == [other])
        #expect(ended.takeUnclaimed(foundBefore: .now) == [])
    }

    @Test func `a revocation that scans still find is not evicted, and is not reported as new again`() {
        let ended = RevokedSessionCache(maximumTokenLifetime: .seconds(660))
        let (seen, unseen) = (SessionID.random(), SessionID.random())
        _ = ended.insert([seen, unseen], .logout, at: now)
        for _ in 1...5 {
            #expect(ended.insert(found: [ending(seen)], at: now) == [])
            ended.evictUnseen()
        }
        #expect(ended.contains(seen) && !ended.contains(unseen))
        #expect(ended.reason(of: seen) == .logout && ended.reason(of: unseen) == nil)
        #expect(ended.count == 1)
    }

    /// A follower that read the database after the first end was lost, and before the second, knows neither.
    @Test func `a session that ends again after the database lost its end is reported as new once more`() {
        let ended = RevokedSessionCache(maximumTokenLifetime: .seconds(660))
        let (own, found) = (SessionID.random(), SessionID.random())
        _ = ended.insert([own], .logout, at: now)
        _ = ended.insert(found: [ending(found)], at: now)
        let later = now + .seconds(30)
        for _ in 1...2 { ended.evictUnseen() }
        let again = [ending(own, at: later), ending(found, at: later)]
        #expect(ended.insert(found: again, at: later).map(\.id) == [own, found])
        #expect(ended.insert(found: again, at: later) == [])
        #expect(ended.insert([own, found], .logout, at: later) == [])
    }

    @Test func `the cache of revoked sessions is limited, and old tokens of evicted sessions are refused`() {
        let ended = RevokedSessionCache(maximumTokenLifetime: .seconds(660), capacity: 1000)
        let first = SessionID.random()
        _ = ended.insert([first], .logout, at: now)
        let old = claims(first, issuedAt: now + .seconds(-5))
        #expect(!ended.accepts(old, at: now))
        for _ in 0..<5000 { _ = ended.insert([.random()], .logout, at: now + .seconds(1)) }
        #expect(ended.count <= 2002)
        #expect(!ended.contains(first))
        #expect(!ended.accepts(old, at: now + .seconds(1)))
        // A client that refreshes gets a token that is accepted.
        #expect(ended.accepts(claims(.random(), issuedAt: now + .seconds(1)), at: now + .seconds(1)))
        // The next end may be dated earlier, by another clock.
        for _ in 0..<5000 { _ = ended.insert([.random()], .logout, at: now + .seconds(-60)) }
        #expect(!ended.accepts(old, at: now + .seconds(1)))
        // Too old in any case.
        #expect(!ended.accepts(claims(.random(), issuedAt: now), at: now + .seconds(661)))
    }

    @Test func `the cache of revoked sessions is limited from its start, regardless of the number stored`() {
        let known = (0..<5000).map { _ in ending(.random()) }
        let ended = RevokedSessionCache(maximumTokenLifetime: .seconds(660), known, at: now, capacity: 1000)
        #expect(ended.count <= 2002)
        // Those that were not kept are refused by their date.
        #expect(known.allSatisfy { !ended.accepts(claims($0.id, issuedAt: now + .seconds(-5)), at: now) })
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import Testing

@testable import FreshetIdentity

@Suite struct `The feed of ended sessions` {
    @Test func `the revocation feed keeps a limited number of entries and returns at most the requested number`()
        async throws
    {
        let feed = RevocationFeed()
        let entry = { RevocationFeed.Entry(session: .random(), reason: "logout", at: Timestamp(milliseconds: 1)) }
        feed.append((0...RevocationFeed.capacity).map { _ in entry() })
        #expect(feed.entries(from: 0, limit: 10) == nil)
        #expect(feed.next == UInt64(RevocationFeed.capacity) + 1)
        #expect(feed.entries(from: feed.next, limit: 10) == [])
        #expect(feed.entries(from: feed.next - 3, limit: 2)?.count == 2)
        #expect(feed.entries(from: feed.next + 1, limit: 1) == nil)
    }
}

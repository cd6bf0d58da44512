// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import NIOConcurrencyHelpers

/// Remembers which sessions were ended while access tokens of theirs may still be out, so that this server's own
/// resources refuse those at once and without a look at the database.
final class EndedSessions: Sendable {
    /// How old an access token may be at most: sessions that ended longer ago are forgotten, so that older tokens must
    /// not be taken, whatever lifetime they were issued with.
    let memory: Duration
    private let ended: NIOLockedValueBox<[SessionID: Timestamp]>
    private static let sweepAbove = 10_000

    /// - Parameters:
    ///   - memory: For how long ended sessions are remembered.
    ///   - known: Those that ended since.
    init(memory: Duration, _ known: [(SessionID, Timestamp)]) {
        self.memory = memory
        ended = NIOLockedValueBox(Dictionary(known) { first, _ in first })
    }

    var count: Int { ended.withLockedValue { $0.count } }

    func contains(_ id: SessionID) -> Bool { ended.withLockedValue { $0[id] != nil } }

    func insert(_ ids: [SessionID], at now: Timestamp) {
        ended.withLockedValue { ended in
            if ended.count > Self.sweepAbove { ended = ended.filter { now - $0.value <= memory } }
            for id in ids { ended[id] = now }
        }
    }
}

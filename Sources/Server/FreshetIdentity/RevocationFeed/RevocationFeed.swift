// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import NIOConcurrencyHelpers

/// The recently ended sessions, in the order in which this server learned of them.
///
/// Older entries are in the database; a follower whose cursor is older, or another server's, reads them there.
package final class RevocationFeed: Sendable {
    struct Entry: Equatable, Sendable {
        var session: SessionID
        var reason: String
        var at: Timestamp

        var position: SessionEndPosition { SessionEndPosition(at: at, session: session) }
    }

    /// The error thrown while the maximum number of followers is waiting.
    struct TooManyWaiters: Error {}

    static let capacity = 10_000
    static let maximumWaiters = 1000

    private struct State {
        var entries: [Entry] = []
        /// The number of the first entry in memory.
        var first: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var waiterNumber: UInt64 = 0

        var next: UInt64 { first + UInt64(entries.count) }
    }

    /// A value that distinguishes this server's entry numbers from those of other servers and earlier processes.
    let epoch = String(Intent.random().text.prefix(8))
    private let state = NIOLockedValueBox(State())

    package init() {}

    /// Appends every session that ends, in this process or another.
    package var listener: ServerEvents.Listener {
        { [self] event in
            guard case .revoked(let revocations) = event else { return }
            append(revocations.map { Entry(session: $0.session, reason: $0.reason.rawValue, at: $0.at) })
        }
    }

    /// The number of the next entry.
    var next: UInt64 { state.withLockedValue { $0.next } }

    /// The entries in memory, the oldest first.
    var recent: [Entry] { state.withLockedValue(\.entries) }

    /// Appends entries and resumes the waiting followers.
    func append(_ entries: [Entry]) {
        let waiters = state.withLockedValue { state in
            state.entries += entries
            // Half of the entries are removed at once, because every removal at the front moves the array.
            if state.entries.count > Self.capacity {
                let surplus = state.entries.count - Self.capacity / 2
                state.entries.removeFirst(surplus)
                state.first += UInt64(surplus)
            }
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns the entries from a number on.
    ///
    /// - Returns: `nil` if some of them are no longer in memory, or this server has not issued the number.
    func entries(from number: UInt64, limit: Int) -> [Entry]? {
        state.withLockedValue { state in
            guard (state.first...state.next).contains(number) else { return nil }
            return Array(state.entries.dropFirst(Int(number - state.first)).prefix(limit))
        }
    }

    /// Waits until the entry with this number exists or the time has passed.
    ///
    /// - Throws: ``TooManyWaiters`` if the maximum number of followers is waiting already.
    func wait(for number: UInt64, atMost span: Duration) async throws(TooManyWaiters) {
        guard state.withLockedValue({ $0.waiters.count < Self.maximumWaiters }) else { throw TooManyWaiters() }
        await withCheckedContinuation { continuation in
            let id = state.withLockedValue { state -> UInt64? in
                guard state.next <= number else { return nil }
                state.waiterNumber += 1
                state.waiters[state.waiterNumber] = continuation
                return state.waiterNumber
            }
            guard let id else { return continuation.resume() }
            Task {
                try? await Task.sleep(for: span)
                let waiter = state.withLockedValue { $0.waiters.removeValue(forKey: id) }
                waiter?.resume()
            }
        }
    }
}

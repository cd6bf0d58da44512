// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
package import FreshetWire
import NIOConcurrencyHelpers

/// The sessions that ended of late, in the order in which this server learnt of it, for those who follow.
///
/// What it has let go of is in the database; a follower that comes from further back, or from another server, reads there.
package final class RevocationFeed: Sendable {
    package struct Entry: Equatable, Sendable {
        package var session: SessionID
        package var reason: String
        package var at: Timestamp
    }

    /// Why nobody more is let in.
    package struct TooManyWaiters: Error {}

    package static let capacity = 10_000
    static let maximumWaiters = 1000

    private struct State {
        var entries: [Entry] = []
        /// The number of the first entry.
        var first: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var waiterNumber: UInt64 = 0

        var next: UInt64 { first + UInt64(entries.count) }
    }

    /// Tells this server's numbers from those of another one, or of an earlier life.
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

    /// The number of the entry that comes next.
    package var next: UInt64 { state.withLockedValue { $0.next } }

    /// Takes entries in, and wakes who waits.
    package func append(_ entries: [Entry]) {
        let waiters = state.withLockedValue { state in
            state.entries += entries
            // In larger steps than one, because the array moves.
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

    /// The entries from a number on.
    ///
    /// - Returns: `nil` if some of them are gone, or the number is none of this server's.
    package func entries(from number: UInt64, limit: Int) -> [Entry]? {
        state.withLockedValue { state in
            guard (state.first...state.next).contains(number) else { return nil }
            return Array(state.entries.dropFirst(Int(number - state.first)).prefix(limit))
        }
    }

    /// Waits until there is an entry of that number, or some time has passed.
    ///
    /// - Throws: ``TooManyWaiters`` if too many wait already.
    package func wait(for number: UInt64, atMost span: Duration) async throws(TooManyWaiters) {
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

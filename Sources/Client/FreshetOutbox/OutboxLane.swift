// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Items that are sent strictly one after the other.
struct OutboxLane {
    enum State: Equatable {
        /// Its first item may be sent. Goes to `sending`.
        case ready
        /// Its first item is on its way. Goes to any other state.
        case sending(run: Int)
        /// It waits for a time to come. The server's wish is not cut short.
        case pausing(until: Duration, isServerRequested: Bool)
        /// The server refused the token: it waits for another token, for a call that the server accepts, or for a time to come.
        ///
        /// After an accepted call it goes on no earlier than `earliest`.
        case refused(TokenIdentity, earliest: Duration, until: Duration)
        /// It waits until its dead letter is seen to.
        case blocked
    }

    /// By number; the one on its way is still among them.
    var entries: ArraySlice<OutboxEntry> = []
    var state = State.ready
    /// Failed attempts of the first item.
    var failures = 0
    /// How often the server refused the token of the first item.
    var refusals = 0
    /// Whether it is to be `blocked` when the item on its way is settled.
    var isBlocked = false

    /// Whether it waits for its turn alone.
    var isReady: Bool { state == .ready && !entries.isEmpty }

    /// Whether nothing is lost with it.
    var isRemovable: Bool {
        switch state {
        case .ready, .pausing, .refused: entries.isEmpty
        case .sending, .blocked: false
        }
    }

    /// Until when it waits.
    var deadline: Duration? {
        switch state {
        case .pausing(let end, _), .refused(_, _, let end): entries.isEmpty ? nil : end
        case .ready, .sending, .blocked: nil
        }
    }

    /// Puts an item in its place, which is the end but for a race of two callers.
    mutating func insert(_ entry: OutboxEntry) {
        let index = entries.lastIndex { $0.number <= entry.number }
        if let index, entries[index] == entry { return }
        entries.insert(entry, at: index.map { $0 + 1 } ?? entries.startIndex)
    }

    mutating func remove(_ entry: OutboxEntry) {
        failures = 0
        refusals = 0
        if entries.first == entry { entries.removeFirst() } else { entries.removeAll { $0 == entry } }
    }
}

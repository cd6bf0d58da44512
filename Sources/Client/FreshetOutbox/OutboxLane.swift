// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A queue of items that are sent strictly one after the other.
struct OutboxLane {
    enum State: Equatable {
        /// Its first item may be sent. Goes to `sending`.
        case ready
        /// Its first item is being sent. Goes to any other state.
        case sending(run: Int)
        /// The lane waits until a time.
        ///
        /// A server's `Retry-After` is not shortened.
        case pausing(until: Duration, isServerRequested: Bool)
        /// The server refused the token: the lane waits for another token, an accepted request or a timeout.
        ///
        /// After an accepted request it continues no earlier than `earliest`.
        case refused(TokenIdentity, earliest: Duration, until: Duration)
        /// It waits until its dead letter is retried or discarded.
        case blocked
    }

    /// Ordered by number; includes the item that is being sent.
    var entries: ArraySlice<OutboxEntry> = []
    var state = State.ready
    /// The number of failed attempts of the first item.
    var failures = 0
    /// The number of times the server refused the token of the first item.
    var refusals = 0
    /// Whether it becomes `blocked` when the item that is being sent is completed.
    var isBlocked = false

    /// Whether it waits only for its turn.
    var isReady: Bool { state == .ready && !entries.isEmpty }

    /// Whether it has no items or state to keep.
    var isRemovable: Bool {
        switch state {
        case .ready, .pausing, .refused: entries.isEmpty
        case .sending, .blocked: false
        }
    }

    /// The end of its pause.
    var deadline: Duration? {
        switch state {
        case .pausing(let end, _), .refused(_, _, let end): entries.isEmpty ? nil : end
        case .ready, .sending, .blocked: nil
        }
    }

    /// Inserts an item by its number, usually at the end.
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

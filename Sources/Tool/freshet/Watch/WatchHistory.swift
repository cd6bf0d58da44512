// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetKit

/// The last changes of a watched session, from its events.
struct WatchHistory {
    /// The number of entries that are kept.
    static let capacity = 100

    /// Oldest first.
    private(set) var entries: [WatchEntry] = []

    /// Adds an event.
    ///
    /// - Returns: Its entry; `nil` for a detail that is not shown.
    mutating func add(_ event: SessionEvent) -> WatchEntry? {
        guard let entry = WatchEntry(event) else { return nil }
        entries.append(entry)
        if entries.count > Self.capacity { entries.removeFirst() }
        return entry
    }
}

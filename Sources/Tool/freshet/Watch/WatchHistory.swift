// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

/// The last changes of a watched session, from its events and from what other processes store.
struct WatchHistory {
    /// The number of entries that are kept.
    static let capacity = 100

    /// Oldest first.
    private(set) var entries: [WatchEntry] = []
    /// The expiry of the access token that the last status or event reported.
    private var knownExpiry: Date?
    /// An expiry that a status had before an event reported it.
    private var unreportedExpiry: Date?

    /// Creates a history that begins with a status.
    init(_ status: SessionStatus) {
        knownExpiry = status.accessTokenExpiresAt
    }

    /// Adds an event.
    ///
    /// - Returns: Its entry; `nil` for a detail that is not shown.
    mutating func add(_ event: SessionEvent) -> WatchEntry? {
        if case .accessTokenReceived(let report) = event.kind { knownExpiry = report.expiresAt }
        return WatchEntry(event).map { append($0) }
    }

    /// Compares the status after the store was read again.
    ///
    /// A session that reads another process's tokens emits no event. Its own refresh changes the status a moment before
    /// it emits one, so only the second status with the same new expiry counts.
    ///
    /// - Returns: The entry of a refresh by another process; `nil` if there was none.
    mutating func compare(_ status: SessionStatus, at date: Date) -> WatchEntry? {
        guard let expiry = status.accessTokenExpiresAt, expiry != knownExpiry else {
            unreportedExpiry = nil
            return nil
        }
        guard expiry == unreportedExpiry else {
            unreportedExpiry = expiry
            return nil
        }
        knownExpiry = expiry
        unreportedExpiry = nil
        let kind = SessionEvent.Kind.adopted
        return append(WatchEntry(date: date, name: kind.name, text: kind.description))
    }

    private mutating func append(_ entry: WatchEntry) -> WatchEntry {
        entries.append(entry)
        if entries.count > Self.capacity { entries.removeFirst() }
        return entry
    }
}

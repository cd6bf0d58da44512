// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Charges that remain after the removal of their mails, until the mails would have expired.
struct MailShareCharges: Sendable {
    private static let capacity = 65_536

    private var charges: [(source: MailEntry.Source, until: Duration)] = []
    /// The index of the first charge that has not expired.
    private var start = 0

    /// Adds a charge.
    ///
    /// - Returns: The source of the oldest one, if it was removed.
    mutating func add(_ source: MailEntry.Source, until: Duration) -> MailEntry.Source? {
        charges.append((source, until))
        guard charges.count - start > Self.capacity else { return nil }
        return removeFirst()
    }

    /// Removes expired charges; they expire in the order in which they were added, or a little later.
    mutating func expire(now: Duration) -> [MailEntry.Source] {
        var sources: [MailEntry.Source] = []
        while start < charges.count, charges[start].until <= now { sources.append(removeFirst()) }
        return sources
    }

    private mutating func removeFirst() -> MailEntry.Source {
        let source = charges[start].source
        start += 1
        if start * 2 > charges.count {
            charges.removeFirst(start)
            start = 0
        }
        return source
    }
}

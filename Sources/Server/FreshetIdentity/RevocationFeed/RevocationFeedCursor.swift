// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetDatabase
package import FreshetEngine
import FreshetWire

/// Where a follower of the feed stands: a number of one server's, and a moment that any server understands.
package struct RevocationFeedCursor: Equatable, Sendable {
    /// The position in the database up to which a catch-up has come.
    package typealias Position = SessionTable.EndPosition

    var epoch: String
    package var number: UInt64
    /// What ended before was told.
    package var moment: Timestamp
    /// `nil` unless a catch-up is under way.
    package var place: Position?

    /// As it travels; a follower takes it for a word.
    package var text: String {
        let head = "\(epoch).\(number).\(moment.milliseconds)"
        return place.map { "\(head).\($0.at.milliseconds).\($0.session)" } ?? head
    }

    package init(epoch: String, number: UInt64, moment: Timestamp, place: Position? = nil) {
        self.epoch = epoch
        self.number = number
        self.moment = moment
        self.place = place
    }

    /// - Returns: `nil` for what is no cursor.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 || parts.count == 5, parts[0].count == 8, let number = UInt64(parts[1]),
            let moment = Self.moment(parts[2])
        else { return nil }
        self.init(epoch: String(parts[0]), number: number, moment: moment)
        guard parts.count == 5 else { return }
        guard let at = Self.moment(parts[3]), let session = SessionID(String(parts[4])) else { return nil }
        place = Position(at: at, session: session)
    }

    /// Not so far away that reckoning with it could overflow.
    private static func moment(_ text: Substring) -> Timestamp? {
        guard let milliseconds = Int64(text), (0...253_402_300_800_000).contains(milliseconds) else { return nil }
        return Timestamp(milliseconds: milliseconds)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire

/// A follower's position in the feed.
///
/// The entry number is valid only at the server that issued it; another server continues from the time.
package struct RevocationFeedCursor: Equatable, Sendable {
    var epoch: String
    var number: UInt64
    /// The time up to which all ended sessions were delivered.
    var moment: Timestamp
    /// The position of a catch-up; `nil` if none is in progress.
    var place: SessionEndPosition?

    /// The cursor as transmitted; opaque to followers.
    var text: String {
        let head = "\(epoch).\(number).\(moment.milliseconds)"
        return place.map { "\(head).\($0.at.milliseconds).\($0.session)" } ?? head
    }

    init(epoch: String, number: UInt64, moment: Timestamp, place: SessionEndPosition? = nil) {
        self.epoch = epoch
        self.number = number
        self.moment = moment
        self.place = place
    }

    /// Parses the text of a cursor; `nil` if it is not valid.
    package init?(_ text: String) {
        // Bytes, as a character may be a dot with a combining mark.
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Substring.init)
        guard parts.count == 3 || parts.count == 5, parts[0].utf8.count == 8, let number = UInt64(parts[1]),
            let moment = Self.moment(parts[2])
        else { return nil }
        self.init(epoch: String(parts[0]), number: number, moment: moment)
        guard parts.count == 5 else { return }
        guard let at = Self.moment(parts[3]), let session = SessionID(String(parts[4])) else { return nil }
        place = SessionEndPosition(at: at, session: session)
    }

    /// Parses a time in milliseconds; `nil` if it is outside the range in which arithmetic cannot overflow.
    private static func moment(_ text: Substring) -> Timestamp? {
        guard let milliseconds = Int64(text), (0...253_402_300_800_000).contains(milliseconds) else { return nil }
        return Timestamp(milliseconds: milliseconds)
    }
}

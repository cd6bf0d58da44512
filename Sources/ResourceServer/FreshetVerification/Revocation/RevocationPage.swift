// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// What the feed of ended sessions answers.
package struct RevocationPage: Codable, Equatable, Sendable {
    package struct Entry: Codable, Equatable, Sendable {
        /// The `sid` of the session's tokens.
        package var sid: String
        package var reason: String
        /// In seconds since 1970.
        package var at: Double

        package init(sid: String, reason: String, at: Double) {
            self.sid = sid
            self.reason = reason
            self.at = at
        }
    }

    package var ended: [Entry]
    /// Where to go on.
    package var cursor: String
    /// Whether there is more to be had at once.
    package var more: Bool

    package init(ended: [Entry], cursor: String, more: Bool) {
        self.ended = ended
        self.cursor = cursor
        self.more = more
    }
}

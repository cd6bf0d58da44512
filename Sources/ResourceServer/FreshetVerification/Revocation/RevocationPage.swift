// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Verification
    /// A response of the feed of ended sessions.
    package struct RevocationPage: Codable, Equatable, Sendable {
        package struct Entry: Codable, Equatable, Sendable {
            /// The `sid` of the session's tokens.
            package var sid: String
            package var reason: String
            /// The time at which the session ended, in seconds since 1970.
            package var at: Double

            package init(sid: String, reason: String, at: Double) {
                self.sid = sid
                self.reason = reason
                self.at = at
            }
        }

        package var ended: [Entry]
        /// The cursor of the next request.
        package var cursor: String
        /// Whether more entries are available immediately.
        package var more: Bool

        package init(ended: [Entry], cursor: String, more: Bool) {
            self.ended = ended
            self.cursor = cursor
            self.more = more
        }
    }
#endif

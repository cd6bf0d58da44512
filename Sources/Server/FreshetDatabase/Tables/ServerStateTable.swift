// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine

/// Reads and writes the numbers that background services store by name.
package enum ServerStateTable {
    package static func get(_ name: String, in database: any SQLConnection) throws -> Int64? {
        try database.number("SELECT value FROM housekeeping WHERE name = ?", [name])
    }

    /// The name under which servers store the time while their clock is trusted.
    package static let trustedTime = "last_seen"

    /// The earlier of `now` and the newest trusted time.
    ///
    /// A session is ended, and a key kept, if the session is active at this time: a clock that is ahead, including an
    /// operator command's, must not make it count as expired.
    static func earliest(_ now: Timestamp, in database: any SQLConnection) throws -> Timestamp {
        try get(trustedTime, in: database).map { min(now, Timestamp(milliseconds: $0)) } ?? now
    }

    /// The later of `now` and the newest trusted time.
    ///
    /// The end of a session is dated by it: servers search the recent past for ends, and would miss one that an
    /// operator command with a slow clock dated days back.
    package static func latest(_ now: Timestamp, in database: any SQLConnection) throws -> Timestamp {
        try get(trustedTime, in: database).map { max(now, Timestamp(milliseconds: $0)) } ?? now
    }

    package static func set(_ name: String, _ value: Int64, in database: any SQLConnection) throws {
        try database.execute(
            "INSERT INTO housekeeping (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            [name, value]
        )
    }
}

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

    /// The name under which servers store their time, whether their clock is trusted or not.
    package static let serverTime = "server_time"

    /// The earlier of `now` and the newest trusted time.
    ///
    /// Decisions about whether a session is active use this time, so that a clock that is ahead, such as an operator
    /// command's, does not make a session count as expired.
    static func earliest(_ now: Timestamp, in database: any SQLConnection) throws -> Timestamp {
        try get(trustedTime, in: database).map { min(now, Timestamp(milliseconds: $0)) } ?? now
    }

    /// The latest of `now`, the newest trusted time and the servers' own.
    ///
    /// It is stored as the time of a session's end: servers search their recent past for ends, and would miss an end that
    /// an operator command dates several days earlier, because its clock is slow, or is that of the machine and the server
    /// does not trust it.
    package static func latest(_ now: Timestamp, in database: any SQLConnection) throws -> Timestamp {
        try [trustedTime, serverTime].reduce(now) { latest, name in
            try get(name, in: database).map { max(latest, Timestamp(milliseconds: $0)) } ?? latest
        }
    }

    package static func set(_ name: String, _ value: Int64, in database: any SQLConnection) throws {
        try database.execute(
            "INSERT INTO housekeeping (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            [name, value]
        )
    }
}

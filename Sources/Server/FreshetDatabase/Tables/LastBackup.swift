// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine

/// Reads and writes the time of the last complete backup, for status reports.
package enum LastBackup {
    private static let name = "last_backup"

    package static func set(_ moment: Timestamp, in database: any SQLConnection) throws {
        try ServerStateTable.set(name, moment.milliseconds, in: database)
    }

    /// Returns the time of the last backup; `nil` if this program made none.
    package static func get(in database: any SQLConnection) throws -> Timestamp? {
        try ServerStateTable.get(name, in: database).map { Timestamp(milliseconds: $0) }
    }
}

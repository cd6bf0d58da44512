// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine

/// Remembers when the last whole copy was made, for those who ask how the store is.
package enum LastBackup {
    private static let name = "last_backup"

    package static func set(_ moment: Timestamp, in database: any SQLConnection) throws {
        try ServerStateTable.set(name, moment.milliseconds, in: database)
    }

    /// `nil` if no copy was made by this program.
    package static func get(in database: any SQLConnection) throws -> Timestamp? {
        try ServerStateTable.get(name, in: database).map { Timestamp(milliseconds: $0) }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
package import Foundation
package import FreshetEngine
package import FreshetWire

/// Remembers the kinds of device that an account was signed in on.
package enum KnownDeviceTable {
    /// More than these are not remembered; the oldest are forgotten.
    private static let maximum: Int64 = 100

    /// Notes a device.
    ///
    /// - Returns: whether the account had seen others, but not this one.
    package static func record(_ device: Device, of user: UUID, at now: Timestamp, in database: any SQLConnection)
        throws
        -> Bool
    {
        let kind = [device.platform, device.model, device.app].map { $0 ?? "" }.joined(separator: "\0")
        let digest = Data(SHA256.hash(data: Data(kind.utf8)).prefix(16))
        let insert = """
            INSERT INTO known_devices ("user", device, first_seen) VALUES (?, ?, ?) ON CONFLICT DO NOTHING
            """
        guard try database.execute(insert, [user, digest, now]) == 1 else { return false }
        let count = try database.number(#"SELECT count(*) FROM known_devices WHERE "user" = ?"#, [user]) ?? 0
        if count > maximum {
            let oldest = #"SELECT device FROM known_devices WHERE "user" = ? ORDER BY first_seen LIMIT ?"#
            let sql = #"DELETE FROM known_devices WHERE "user" = ? AND device IN (\#(oldest))"#
            try database.execute(sql, [user, user, count - maximum])
        }
        return count > 1
    }
}

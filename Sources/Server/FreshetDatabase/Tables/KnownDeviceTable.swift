// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
package import Foundation
package import FreshetEngine
package import FreshetWire

/// Reads and writes the kinds of device on which accounts signed in.
package enum KnownDeviceTable {
    /// The maximum number of devices of an account; the oldest are deleted for new ones.
    private static let maximum: Int64 = 100

    /// Records a device.
    ///
    /// - Returns: Whether the device is new and the account has other devices.
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

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetEngine
package import FreshetWire

extension SessionTable {
    /// Ends sessions of an account: all, the given one, or all but one.
    ///
    /// A session that has expired at the time of `ending`, but not at the newest stored time of a trusted clock, is
    /// ended as well: if this server's clock is ahead, the session would otherwise be active again once the clock is
    /// corrected. A session that has expired at both times is not ended.
    ///
    /// - Returns: The sessions that were active until now.
    package static func end(
        only id: SessionID? = nil,
        except kept: SessionID? = nil,
        _ ending: SessionRow.Ending,
        by authority: borrowing AccountAuthority,
        in database: any SQLConnection
    ) throws -> [SessionID] {
        let moment = try ServerStateTable.earliest(ending.at, in: database)
        let ids = try live(of: authority.user, at: moment, in: database).map(\.id)
        return try end(ids.filter { (id == nil || $0 == id) && $0 != kept }, ending, in: database)
    }

    /// Renames a user's device, or removes its name.
    ///
    /// - Returns: Whether the device is signed in.
    package static func rename(
        _ id: SessionID,
        to name: String?,
        at now: Timestamp,
        by authority: borrowing AccountAuthority,
        in database: any SQLConnection
    ) throws -> Bool {
        guard let row = try find(id, in: database), row.user == authority.user, row.endReason(at: now) == nil else {
            return false
        }
        var device = row.device
        device.name = name
        let text = String(decoding: try JSONEncoder().encode(device), as: UTF8.self)
        try database.execute(
            "UPDATE sessions SET device = ? WHERE id = ?",
            [text, id]
        )
        return true
    }
}

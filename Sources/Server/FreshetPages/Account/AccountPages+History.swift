// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
import FreshetEngine
import FreshetHTTP
import FreshetIdentity
import FreshetWire
import Hummingbird

extension AccountPages {
    /// The maximum number of entries shown; older ones are left out.
    ///
    /// Users look for recent entries that they do not recognise.
    private static let mostEntries = 100
    /// The maximum number of sessions whose names are read.
    private static let mostNames = 500

    /// The content of `account-history.mustache`.
    private struct History: Sendable {
        var entries: [HistoryEntry]
        var hasEntries: Bool
        var isCut: Bool
        var most = AccountPages.mostEntries
    }

    func addHistory(to table: inout RouteTable) {
        authenticated(site.home + "/history", in: &table) { visit, visitor in
            // The newest events may not have been written yet.
            await audit.write()
            let now = sessions.clock()
            let user = visitor.user.id
            let (events, rows) = try await sessions.database.read { database in
                (
                    try AuditTable.events(of: user, in: database),
                    try SessionTable.all(of: user, limit: Self.mostNames, in: database)
                )
            }
            let devices = KnownDevices(rows)
            let told = events.filter(HistoryEntry.isShown)
            let entries = told.newest(Self.mostEntries).reversed().map {
                HistoryEntry($0, devices: devices, now: now)
            }
            let isCut = told.count > entries.count
            let history = History(entries: entries, hasEntries: !entries.isEmpty, isCut: isCut)
            return try visit.show(
                Page("account-history", title: "History", history, account: visitor.name)
            )
        }
    }
}

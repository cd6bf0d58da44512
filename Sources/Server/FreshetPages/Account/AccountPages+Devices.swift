// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetDatabase
import FreshetEngine
import FreshetHTTP
import FreshetIdentity
import FreshetMail
import FreshetWire
import Hummingbird

extension AccountPages {
    /// The maximum number of devices shown; the rest are counted.
    private static let mostCards = 100
    /// The maximum length of a device's name.
    static let longestName = 60

    /// The content of `account-devices.mustache`.
    private struct DeviceList: Sendable {
        var current: [DeviceCard]
        var others: [DeviceCard]
        var hasOthers: Bool
        var count: String
        var more: String?
    }

    /// The content of `account-name.mustache`.
    private struct NameForm: Sendable {
        var id: String
        var name: String
        var longest = AccountPages.longestName
    }

    func addDevices(to table: inout RouteTable) {
        let home = site.home
        site.get(home, in: &table) { visit in
            guard let visitor = try await visitors?.visitor(visit.secret) else {
                return try showSignInForm(visit)
            }
            return try await showDevices(visit, visitor)
        }
        authenticated(home + "/devices/{id}/name", in: &table) { visit, visitor in
            let row = try await device(visit, visitor)
            let form = NameForm(id: row.id.description, name: row.device.title)
            return try visit.show(
                Page("account-name", title: "Name a device", form, account: visitor.name, isNarrow: true)
            )
        }
        authenticated(form: home + "/devices/{id}/name", in: &table) { visit, visitor, form in
            let row = try await device(visit, visitor)
            let name = Self.name(form["name"])
            let now = sessions.clock()
            _ = try await sessions.authorized(visitor.credential) { session, database in
                try SessionTable.rename(row.id, to: name, at: now, by: session.authority, in: database)
            }
            var device = row.device
            device.name = name
            return visit.redirect(to: home, FlashMessage("The device is called “\(device.title)” now."))
        }
        addEndings(to: &table)
    }

    private func showDevices(_ visit: PageRequestContext, _ visitor: PageSessions.Visitor) async throws
        -> Response
    {
        let now = sessions.clock()
        let rows = try await sessions.list(of: visitor.user.id)
        let shown =
            rows.filter { $0.id == visitor.session.id } + rows.filter { $0.id != visitor.session.id }
        let pages = try await sessions.database.read { database in
            Set(
                try shown.prefix(Self.mostCards).map(\.id).filter {
                    try PageSessionTable.has($0, in: database)
                }
            )
        }
        let cards = shown.prefix(Self.mostCards).map { row in
            let isCurrent = row.id == visitor.session.id
            return DeviceCard(row, isPage: pages.contains(row.id), isCurrent: isCurrent, now: now)
        }
        let others = cards.filter { !$0.isCurrent }
        let more = shown.count - cards.count
        let list = DeviceList(
            current: cards.filter(\.isCurrent),
            others: others,
            hasOthers: !others.isEmpty,
            count: shown.count == 1 ? "One device is" : "\(shown.count) devices are",
            more: more > 0 ? "\(more) more are not shown." : nil
        )
        return try visit.show(
            Page("account-devices", title: "Your devices", list, account: visitor.name)
        )
    }

    /// Returns the device in the request's path.
    ///
    /// A device of another user is treated as not found.
    func device(_ visit: PageRequestContext, _ visitor: PageSessions.Visitor) async throws -> SessionRow {
        let id = visit.context.parameters.get("id").flatMap { SessionID($0) }
        let clock = sessions.clock.reading()
        let row = try await sessions.database.read { database in
            try id.flatMap { try SessionTable.find($0, in: database) }
        }
        guard let row, row.user == visitor.user.id, try row.endReason(at: clock) == nil else {
            throw PageError(
                .notFound,
                "This device is not signed in",
                "It was signed out already, or it does not belong to your account."
            )
        }
        return row
    }

    /// Returns a name that displays as it was entered: on one line, and without reversed text.
    static func name(_ text: String) -> String? {
        let text = text.withoutControls.trimmingCharacters(in: .whitespaces)
        // A character has any number of combining marks.
        let name = String(text.prefix(longestName)).prefix(bytes: 4 * longestName)
        return name.isEmpty ? nil : name
    }
}

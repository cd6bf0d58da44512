// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
import FreshetEngine
import FreshetHTTP
import FreshetIdentity
import FreshetWire
import Hummingbird

extension AccountPages {
    /// Adds a confirmation page and a form for each way of signing devices out.
    func addEndings(to table: inout RouteTable) {
        let home = site.home
        authenticated(home + "/devices/{id}/sign-out", in: &table) { visit, visitor in
            let row = try await device(visit, visitor)
            let isCurrent = row.id == visitor.session.id
            return try confirm(
                visit,
                visitor,
                one(row.device.title, isCurrent: isCurrent, action: "\(home)/devices/\(row.id)/sign-out")
            )
        }
        authenticated(form: home + "/devices/{id}/sign-out", in: &table) { visit, visitor, _ in
            let row = try await device(visit, visitor)
            if row.id == visitor.session.id { return try await signOut(visit, visitor) }
            _ = try await sessions.end(.one(row.id), by: visitor.credential, reason: .revokedByUser)
            return visit.redirect(to: home, FlashMessage("“\(row.device.title)” is signed out."))
        }
        authenticated(home + "/sign-out-others", in: &table) { visit, visitor in
            let count = try await sessions.list(of: visitor.user.id).count - 1
            return try confirm(visit, visitor, others(count))
        }
        authenticated(form: home + "/sign-out-others", in: &table) { visit, visitor, _ in
            let count = try await sessions.end(.others, by: visitor.credential, reason: .revokedByUser)
            let text =
                count == 1 ? "The other device is signed out." : "\(count) other devices are signed out."
            return visit.redirect(to: home, FlashMessage(text))
        }
        authenticated(home + "/sign-out-everything", in: &table) { visit, visitor in
            let count = try await sessions.list(of: visitor.user.id).count
            return try confirm(visit, visitor, everything(count))
        }
        authenticated(form: home + "/sign-out-everything", in: &table) { visit, visitor, _ in
            _ = try await sessions.end(.all, by: visitor.credential, reason: .logoutAll)
            let notice = FlashMessage("All your devices are signed out, this browser too.")
            return visit.redirect(to: home, notice, cookies: [site.cookie.clearing])
        }
    }

    private func signOut(_ visit: PageRequestContext, _ visitor: PageSessions.Visitor) async throws -> Response {
        _ = try await sessions.end(.own, by: visitor.credential, reason: .logout)
        return visit.redirect(
            to: site.home,
            FlashMessage("You are signed out."),
            cookies: [site.cookie.clearing]
        )
    }

    private func confirm(
        _ visit: PageRequestContext,
        _ visitor: PageSessions.Visitor,
        _ confirmation: Confirmation
    ) throws -> Response {
        try visit.show(
            Page(
                "confirm",
                title: confirmation.heading,
                confirmation,
                account: visitor.name,
                isNarrow: true
            )
        )
    }

    private static let atOnce = """
        This takes effect at once: open connections are closed, and the device gets no more data.
        """
    private static let nothingDeleted =
        "Nothing is deleted. To use the app there again, sign in again."

    private func one(_ name: String, isCurrent: Bool, action: String) -> Confirmation {
        Confirmation(
            heading: isCurrent ? "Sign out this browser?" : "Sign out “\(name)”?",
            consequences: isCurrent
                ? ["You are signed out of this page. Your other devices stay signed in."]
                : [Self.atOnce, Self.nothingDeleted],
            action: action,
            button: "Sign out",
            cancel: site.home
        )
    }

    private func others(_ count: Int) -> Confirmation {
        Confirmation(
            heading: "Sign out all other devices?",
            consequences: [
                count == 1
                    ? "One other device is signed out." : "\(max(0, count)) other devices are signed out.",
                Self.atOnce, "This browser stays signed in.", Self.nothingDeleted,
            ],
            action: site.home + "/sign-out-others",
            button: "Sign out the others",
            cancel: site.home
        )
    }

    private func everything(_ count: Int) -> Confirmation {
        Confirmation(
            heading: "Sign out everything?",
            consequences: [
                count == 1
                    ? "This browser is signed out."
                    : "All \(count) devices are signed out, this browser too.",
                Self.atOnce, Self.nothingDeleted,
            ],
            action: site.home + "/sign-out-everything",
            button: "Sign out everything",
            cancel: site.home
        )
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
package import FreshetHTTP
package import FreshetIdentity
import FreshetWire
import HTTPTypes
import Hummingbird

/// `/account`: sign-in by email code, and management of the user's devices.
///
/// Ending a session requires no recent authentication: an attacker with a stolen browser gains nothing by it, and a
/// user in a hurry does not have to wait for an email.
package struct AccountPages: Sendable {
    static let home = "/account"

    package let site: PageSite
    /// The sign-in with mailed codes of this site's visitors; `nil` if the server sends no mail, so that users cannot
    /// sign in here.
    let visitors: PageSessions?
    let sessions: SessionRegistry
    let audit: AuditTrail

    package init(
        _ configuration: PagesConfiguration,
        transport: PageTransport,
        codes: CodeLogin?,
        sessions: SessionRegistry,
        audit: AuditTrail
    ) {
        site = PageSite(
            name: "\(configuration.name) account",
            home: Self.home,
            cookieName: "account",
            transport: transport,
            links: [
                PageSite.Link(Self.home, "Devices"),
                PageSite.Link(Self.home + "/history", "History"),
            ]
        )
        visitors = codes.map { PageSessions(codes: $0, configuration: configuration) }
        self.sessions = sessions
        self.audit = audit
    }

    package func add(to table: inout RouteTable) {
        site.addAssets(to: &table)
        addSignIn(to: &table)
        addDevices(to: &table)
        addHistory(to: &table)
    }

    /// Adds a page for signed-in users; other visitors are redirected to the sign-in.
    func authenticated(
        _ path: String,
        in table: inout RouteTable,
        _ answer: @escaping @Sendable (PageRequestContext, PageSessions.Visitor) async throws -> Response
    ) {
        site.get(path, in: &table) { visit in
            guard let visitor = try await visitors?.visitor(visit.secret) else {
                return redirectToSignIn(visit)
            }
            return try await answer(visit, visitor)
        }
    }

    /// Adds a form for signed-in users.
    func authenticated(
        form path: String,
        in table: inout RouteTable,
        _ answer:
            @escaping @Sendable (PageRequestContext, PageSessions.Visitor, PageForm) async throws -> Response
    ) {
        site.post(path, in: &table) { visit, form in
            guard let visitor = try await visitors?.visitor(visit.secret) else {
                return redirectToSignIn(visit)
            }
            do { return try await answer(visit, visitor, form) } catch let error as APIError {
                // The session ended between the check and the transaction.
                guard error.code == .invalidToken else { throw error }
                return redirectToSignIn(visit)
            }
        }
    }

    private func redirectToSignIn(_ visit: PageRequestContext) -> Response {
        visit.redirect(
            to: site.home,
            FlashMessage("Please sign in: you are signed out, or your sign-in has expired.")
        )
    }
}

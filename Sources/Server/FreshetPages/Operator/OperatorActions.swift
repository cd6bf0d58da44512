// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetDatabase
import FreshetEngine
import FreshetHTTP
import FreshetIdentity
import FreshetWire
import HTTPTypes
import Hummingbird

/// The actions of operators on a user's sessions, each after a confirmation page.
///
/// Operators cannot act as a user here, and no page contains a token.
struct OperatorActions: Sendable {
    let parts: OperatorPagesParts
    let authentication: OperatorAuthentication

    /// The content of `operator-end.mustache`.
    private struct EndForm: Sendable {
        var heading: String
        var consequences: [String]
        var action: String
        var cancel: String
        var button: String
        var reasons: [Reason]
    }

    private struct Reason: Sendable {
        var value: String
        var name: String
    }

    /// Returns a service that acts for a browser, as long as it is signed in.
    private func adminService(_ visit: PageRequestContext) -> AdminService {
        AdminService(database: parts.database, clock: parts.clock.now, authority: authentication.authority(of: visit))
    }

    func add(to table: inout RouteTable) {
        addSessions(to: &table)
        addUsers(to: &table)
    }

    // MARK: - Ending with a reason

    private func addSessions(to table: inout RouteTable) {
        authentication.get("\(SessionExplorer.home)/{id}/end", in: &table) { visit in
            let row = try await session(visit)
            let page = "\(SessionExplorer.home)/\(row.id)"
            return try showEnd(
                visit,
                "End this session?",
                [
                    "\(OperatorText.name(row.device)) will be signed out within a second, and its sockets closed.",
                    "The user can sign in again at once.", "The other devices stay signed in.",
                ],
                page: page,
                button: "End the session"
            )
        }
        authentication.post("\(SessionExplorer.home)/{id}/end", in: &table) { visit, form in
            let row = try await session(visit)
            let ended = try await adminService(visit).endReturningEnded(
                of: row.user,
                only: row.id,
                because: try Self.reason(form)
            )
            publishEnd(ended, row.user, .revokedByOperator)
            let text = ended.ids.isEmpty ? "The session had ended already." : "The session was ended."
            return visit.redirect(to: "\(SessionExplorer.home)/\(row.id)", FlashMessage(text))
        }
    }

    private func addUsers(to table: inout RouteTable) {
        authentication.get("\(SessionExplorer.users)/{id}/end", in: &table) { visit in
            let account = try await account(visit)
            return try showEnd(
                visit,
                "End all sessions of \(name(account))?",
                [
                    "\(OperatorText.plural(account.sessions, "device")) will be signed out within a second.",
                    "The user can sign in again at once.",
                ],
                page: path(account),
                button: "End all sessions"
            )
        }
        authentication.post("\(SessionExplorer.users)/{id}/end", in: &table) { visit, form in
            let account = try await account(visit)
            let ended = try await adminService(visit).endReturningEnded(of: account.id, because: try Self.reason(form))
            publishEnd(ended, account.id, .revokedByOperator)
            return visit.redirect(
                to: path(account),
                FlashMessage("\(OperatorText.plural(ended.ids.count, "session")) ended.")
            )
        }
        authentication.get("\(SessionExplorer.users)/{id}/disable", in: &table) { visit in
            let account = try await account(visit)
            let confirmation = Confirmation(
                heading: "Disable \(name(account))?",
                consequences: [
                    "\(OperatorText.plural(account.sessions, "session")) will end within a second.",
                    "The user cannot sign in until the account is enabled again.",
                    "Nothing is deleted.",
                ],
                action: "\(path(account))/disable",
                button: "Disable the account",
                cancel: path(account)
            )
            return try visit.show(
                Page("confirm", title: confirmation.heading, confirmation, account: "Operator", isNarrow: true)
            )
        }
        authentication.post("\(SessionExplorer.users)/{id}/disable", in: &table) { visit, _ in
            let account = try await account(visit)
            let ended = try await adminService(visit).disableReturningEnded(account.id)
            publishEnd(ended, account.id, .userDisabled)
            let text = "The account is disabled; \(OperatorText.plural(ended.ids.count, "session")) ended."
            return visit.redirect(to: path(account), FlashMessage(text))
        }
        authentication.get("\(SessionExplorer.users)/{id}/enable", in: &table) { visit in
            let account = try await account(visit)
            let confirmation = Confirmation(
                heading: "Enable \(name(account))?",
                consequences: ["The user can sign in again.", "Ended sessions stay ended."],
                action: "\(path(account))/enable",
                button: "Enable the account",
                cancel: path(account)
            )
            return try visit.show(
                Page("confirm", title: confirmation.heading, confirmation, account: "Operator", isNarrow: true)
            )
        }
        authentication.post("\(SessionExplorer.users)/{id}/enable", in: &table) { visit, _ in
            let account = try await account(visit)
            try await adminService(visit).enable(account.id)
            return visit.redirect(to: path(account), FlashMessage("The account is enabled."))
        }
    }

    // MARK: - Helpers

    private func showEnd(
        _ visit: PageRequestContext,
        _ heading: String,
        _ consequences: [String],
        page: String,
        button: String
    ) throws -> Response {
        let form = EndForm(
            heading: heading,
            consequences: consequences,
            action: "\(page)/end",
            cancel: page,
            button: button,
            reasons: OperatorReason.allCases.map { reason in
                Reason(value: reason.rawValue, name: reason.phrase.prefix(1).uppercased() + reason.phrase.dropFirst())
            }
        )
        return try visit.show(Page("operator-end", title: heading, form, account: "Operator", isNarrow: true))
    }

    private static func reason(_ form: PageForm) throws -> OperatorReason {
        guard let reason = OperatorReason(rawValue: form["reason"]) else {
            throw PageError(.badRequest, "A reason is missing", "Go back, and choose one. Nothing was changed.")
        }
        return reason
    }

    /// Publishes the end of sessions: revokes their access tokens, and closes their sockets.
    ///
    /// ``AdminService`` has stored the end before.
    private func publishEnd(_ ended: AdminService.Ended, _ user: UUID, _ reason: EndReason) {
        parts.sessions.publishEnd(of: ended.ids, user, reason, at: ended.at, by: .anotherProcess)
    }

    private func session(_ visit: PageRequestContext) async throws -> SessionRow {
        guard let id = visit.context.parameters.get("id").flatMap({ SessionID($0) }),
            let row = try await parts.database.read({ try SessionTable.find(id, in: $0) })
        else {
            throw PageError(.notFound, "There is no such session", "Nothing was done.", next: SessionExplorer.home)
        }
        return row
    }

    private func account(_ visit: PageRequestContext) async throws -> AdminService.Account {
        let now = parts.clock()
        guard let id = visit.context.parameters.get("id").flatMap({ UUID(exactly: $0) }),
            let account = try await parts.database.read({ try UserTable.account(id, at: now, in: $0) })
        else {
            throw PageError(.notFound, "There is no such user", "Nothing was done.", next: SessionExplorer.home)
        }
        return account
    }

    private func name(_ account: AdminService.Account) -> String { account.email ?? "user \(account.number)" }

    private func path(_ account: AdminService.Account) -> String {
        "\(SessionExplorer.users)/\(SessionID(account.id))"
    }
}

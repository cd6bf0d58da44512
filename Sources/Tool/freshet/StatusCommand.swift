// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetCommandLine
import FreshetKit

/// `freshet status`: shows the session's status without a request to the server.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows the signed-in user, the expiry of the tokens, and where the session is stored.",
        discussion: """
            Reads the store without asking the server. Exits with 4 if the user is signed out and with 6 if the \
            store cannot be read.

            Example:
              freshet status --json
            """
    )

    @OptionGroup var options: ProfileName

    func run() async throws {
        let profile = Profile(name: options.profile)
        let settings = try profile.settings()
        let status = try profile.session(with: settings).status
        let view = try StatusView(status, profile: profile.name, settings)
        if options.json { try Output.json(view) } else { view.lines.forEach(Output.line) }
        try status.state.requireSignedIn()
    }
}

/// A session's status for users and for scripts.
struct StatusView: Encodable {
    var profile: String
    var server: URL
    var contract: String
    var state: String
    var reason: String?
    var session: String?
    var user: String?
    var email: String?
    var generation: UInt64?
    var accessTokenExpiresAt: Date?
    var sessionExpiresAt: Date?
    var renewable: Bool
    var saved: Bool
    var pendingLogout: Bool
    var store: String
    var storeKind: String
    var storeFault: String?

    private enum CodingKeys: String, CodingKey {
        case profile, server, contract, state, reason, session, user, email, generation, renewable, saved, store
        case accessTokenExpiresAt = "access_token_expires_at"
        case sessionExpiresAt = "session_expires_at"
        case pendingLogout = "pending_logout"
        case storeKind = "store_kind"
        case storeFault = "store_fault"
    }

    init(_ status: SessionStatus, profile: String, _ settings: Profile.Settings) throws {
        self.profile = profile
        server = settings.server
        contract = try settings.description().name
        (state, reason) = Self.description(status.state)
        session = status.sessionID
        user = status.userID
        email = status.email
        generation = status.generation
        accessTokenExpiresAt = status.accessTokenExpiresAt
        sessionExpiresAt = status.sessionExpiresAt
        renewable = status.isRenewable
        saved = status.isSaved
        pendingLogout = status.hasPendingLogout
        store = status.store
        storeKind = settings.storeKind.rawValue
        storeFault = status.storeFault?.reason
    }

    /// Returns the name of a state for scripts, and the reason of a sign-out.
    static func description(_ state: SessionState) -> (String, String?) {
        switch state {
        case .unknown: ("unknown", nil)
        case .recordUnusable: ("record_unusable", nil)
        case .signedOut(let reason): ("signed_out", reason?.rawValue)
        case .active: ("signed_in", nil)
        case .refreshing: ("refreshing", nil)
        case .offline: ("offline", nil)
        case .ending: ("ending", nil)
        }
    }

    /// The status, with one item per line.
    var lines: [String] {
        var facts: [(name: String, value: String)] = [
            ("profile", profile), ("server", server.absoluteString), ("contract", contract), ("state", state),
        ]
        if let reason { facts.append(("reason", SignOutReason(rawValue: reason)?.description ?? reason)) }
        if let user { facts.append(("user", [email, user].compactMap { $0 }.joined(separator: "  "))) }
        if let session { facts.append(("session id", session)) }
        if let generation { facts.append(("generation", "\(generation)")) }
        for (name, end) in [("access token", accessTokenExpiresAt), ("session", sessionExpiresAt)] {
            guard let end else { continue }
            facts.append((name, "ends \(end.formatted(.iso8601))  (\(RelativeTime.text(to: end)))"))
        }
        if !renewable {
            facts.append(("renewal", "none: the session lasts as long as the server accepts its access token"))
        }
        facts.append(("store", "\(storeKind)  (\(store))"))
        if let storeFault { facts.append(("store fault", storeFault)) }
        facts += SessionFacts.pending(isSaved: saved, hasPendingLogout: pendingLogout)
        return SessionFacts.lines(facts)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire

/// An event of an account, worded for its owner.
struct HistoryEntry: Sendable {
    /// The severity of an event.
    enum Weight: String, Sendable {
        case plain = ""
        case good
        case bad
    }

    let at: FormattedDate
    let what: String
    /// An explanation and advice, if the event needs them.
    let meaning: String
    let hasMeaning: Bool
    let device: String
    let source: String
    let weight: String
    /// The label of an event that needs attention; `nil` for others.
    let tag: String?

    /// Creates the entry of an event.
    ///
    /// - Parameters:
    ///   - event: The event of the audit trail.
    ///   - devices: The account's devices, including signed-out devices.
    ///   - now: The current time.
    init(_ event: AuditEvent, devices: KnownDevices, now: Timestamp) {
        let (what, meaning, weight) = Self.description(for: event, devices)
        at = FormattedDate(event.at, now: now)
        self.what = what
        self.meaning = meaning
        hasMeaning = !meaning.isEmpty
        device = event.session.map { devices.name($0) } ?? "–"
        source = event.source ?? "not known"
        self.weight = weight.rawValue
        tag =
            switch weight {
            case .plain: nil
            case .good: "New device"
            case .bad: "Look here"
            }
    }

    /// Whether an event is shown to the owner.
    ///
    /// A device's own calls are left out, because the end of the session shows their outcome.
    static func isShown(_ event: AuditEvent) -> Bool {
        switch event.kind {
        case .refresh, .confirm, .report, .logout, .operatorSignIn, .operatorRefused, .operatorSignOut: false
        case .login, .loginRefused, .ended, .userDisabled, .userEnabled, .userDeleted, .unknown: true
        }
    }

    private typealias Description = (what: String, meaning: String, weight: Weight)

    private static func description(for event: AuditEvent, _ devices: KnownDevices) -> Description {
        switch event.kind {
        case .login:
            let isNew = event.session.map { devices.isNew($0) } ?? false
            return (
                "Signed in", event.session.flatMap { devices.method($0) }.map { "With \($0)." } ?? "",
                isNew ? .good : .plain
            )
        case .loginRefused:
            let what =
                event.outcome == "code"
                ? "code" : event.outcome == "apple" ? "sign-in with Apple" : "password"
            return (
                "A sign-in was refused",
                "The \(what) was wrong. If that was not you, your account was not opened.",
                .bad
            )
        case .ended: return ending(event.reason, by: event.by.map { devices.name($0) })
        case .refresh, .confirm, .report, .logout: return ("Used", "", .plain)
        case .userDisabled: return ("The account was closed by its operator", "", .bad)
        case .userEnabled: return ("The account was opened again by its operator", "", .plain)
        case .userDeleted: return ("The account was deleted by its operator", "", .bad)
        // Operators do not sign in to accounts.
        case .operatorSignIn, .operatorRefused, .operatorSignOut, .unknown:
            return ("An event of an unknown kind", "", .plain)
        }
    }

    private static func ending(_ reason: EndReason?, by other: String?) -> Description {
        guard let details = reason?.details else { return ("Signed out", "", .plain) }
        let text = details.historyText.text { $0 == .initiator ? other.map { "“\($0)”" } : nil }
        return (details.historyTitle, text, details.cause.needsAttention ? .bad : .plain)
    }
}

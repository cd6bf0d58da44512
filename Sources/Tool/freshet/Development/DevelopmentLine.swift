// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetIdentity
import FreshetWire
import Logging

/// The lines of `freshet serve --dev`: events and log records of the server as sentences.
enum DevelopmentLine {
    /// Returns the line of a server event; `nil` for an event that another line covers.
    static func text(_ event: ServerEvent) -> String? {
        switch event {
        case .login(let session):
            let method = session.method.map { " by \($0)" } ?? ""
            let device = session.device.name.map { ", device \"\($0)\"" } ?? ""
            return "Session \(session.id) opened\(method)\(device)."
        case .presented(let presentation):
            guard presentation.call == "refresh" else { return nil }
            return text(refreshOf: presentation.session.id, presentation.generation, presentation.outcome)
        case .ended(let ids, _, let reason, _, _):
            let sentence = "(\(reason.rawValue)): \(reason.details.userSentence)"
            return ids.map { "Session \($0) ended \(sentence)" }.joined(separator: "\n")
        case .loginRefused(let refusal): return "Sign-in by \(refusal.method.rawValue) refused."
        case .revoked, .operatorActed: return nil
        }
    }

    /// Returns the line of a refresh.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - generation: The generation of the presented token.
    ///   - outcome: The name of the outcome in the log and the metrics.
    /// - Returns: A sentence; for a refusal, with its reason.
    static func text(refreshOf id: SessionID, _ generation: UInt64, _ outcome: String) -> String {
        let token = "of session \(id) with token \(generation)"
        switch outcome {
        case "bound", "proved", "rolled_forward": return "Refresh \(token): new tokens."
        case "repeated": return "Refresh \(token): the same tokens again, because the client did not get the answer."
        case "sibling", "unrotated": return "Refresh \(token): tokens (\(outcome))."
        case "superseded":
            return "Refresh \(token) refused (superseded): a newer token of the session is in use."
        case "forged": return "Refresh \(token) refused (forged): this server did not issue the token."
        default:
            guard let reason = KnownEndReason(rawValue: outcome) else {
                return "Refresh \(token) refused (\(outcome))."
            }
            return "Refresh \(token) refused (\(outcome)): \(reason.details.userSentence)"
        }
    }

    /// Whether a refresh with this outcome returned tokens.
    static func isServed(_ outcome: String) -> Bool {
        ["bound", "proved", "rolled_forward", "repeated", "sibling", "unrotated"].contains(outcome)
    }

    /// Returns the line of a log record; `nil` for a record that an event covers, or below the level.
    static func text(
        _ message: String,
        _ metadata: [String: String],
        level: Logger.Level,
        threshold: Logger.Level
    ) -> String? {
        if let email = metadata["email"] {
            if let code = metadata["code"] { return "\(message.withCapital) for \(email): \(code)" }
            switch message {
            case "no account, no mail": return "No code for \(email): there is no account."
            case "login refused": return "Sign-in of \(email) refused: a wrong password, or no such account."
            default: return "Mail to \(email): \(message)."
            }
        }
        switch message {
        case "unknown session": return "Refresh refused: there is no session \(metadata["session"] ?? "")."
        case "login", "session ended", "refresh", "confirm", "report", "logout": return nil
        default:
            guard level >= threshold else { return nil }
            let facts = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
            return "\(level): \(message)\(facts)"
        }
    }
}

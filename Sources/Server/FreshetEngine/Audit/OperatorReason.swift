// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// An operator's reason to end sessions; a closed set, so that no free text about a user is stored.
package enum OperatorReason: String, Sendable, CaseIterable {
    case asked
    case lost
    case suspicious
    case duty

    /// The continuation of "An operator ended this session".
    package var phrase: String {
        switch self {
        case .asked: "because the user asked for it"
        case .lost: "because the device was lost or stolen"
        case .suspicious: "because its use looked suspicious"
        case .duty: "for a reason of the operator's own"
        }
    }

    /// Returns the outcome that the audit trail records for an operator's action.
    package static func outcome(_ reason: OperatorReason?) -> String {
        "operator" + (reason.map { ": \($0.rawValue)" } ?? "")
    }

    /// Parses the recorded outcome.
    package init?(outcome: String?) {
        guard let outcome, outcome.hasPrefix("operator: ") else { return nil }
        self.init(rawValue: String(outcome.dropFirst("operator: ".count)))
    }
}

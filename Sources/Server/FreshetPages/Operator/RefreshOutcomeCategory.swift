// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire

/// The outcome of a refresh, in the few categories that matter to operators.
enum RefreshOutcomeCategory: Int, CaseIterable {
    case renewed, repeated, superseded, ended, theft, refused

    init(outcome: String) {
        switch outcome {
        case "bound", "proved", "unrotated", "rolled_forward": self = .renewed
        case "repeated", "sibling": self = .repeated
        case "superseded": self = .superseded
        default:
            if outcome == UnknownEndReason.unnamed {
                self = .ended
                return
            }
            guard let reason = KnownEndReason(rawValue: outcome) else {
                self = .refused
                return
            }
            self = reason.details.cause == .theft ? .theft : .ended
        }
    }

    var name: String {
        switch self {
        case .renewed: "renewed"
        case .repeated: "repeated after a lost response"
        case .superseded: "overtaken by a newer token"
        case .ended: "session was over"
        case .theft: "theft"
        case .refused: "not understood"
        }
    }

    /// Whether the client has a valid token afterwards.
    var isSuccess: Bool { self == .renewed || self == .repeated }
}

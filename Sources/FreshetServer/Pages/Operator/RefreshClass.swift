// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire

/// What came of a refresh, in the few classes that an operator thinks in.
enum RefreshClass: Int, CaseIterable {
    case renewed, repeated, overtaken, over, theft, refused

    init(outcome: String) {
        switch outcome {
        case "bound", "proved", "unrotated", "rolled_forward": self = .renewed
        case "repeated", "sibling": self = .repeated
        case "superseded": self = .overtaken
        default:
            if outcome == OtherEndReason.unnamed {
                self = .over
                return
            }
            guard let reason = EndReason(known: outcome) else {
                self = .refused
                return
            }
            self = reason.isTheft ? .theft : .over
        }
    }

    var name: String {
        switch self {
        case .renewed: "renewed"
        case .repeated: "repeated after a lost answer"
        case .overtaken: "overtaken by a newer token"
        case .over: "session was over"
        case .theft: "theft"
        case .refused: "not understood"
        }
    }

    /// Whether the client has a good token after it.
    var isSuccess: Bool { self == .renewed || self == .repeated }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire

extension RotationOutcome {
    /// The outcome's name in the log and the metrics.
    var name: String {
        switch self {
        case .served(_, .bound): "bound"
        case .served(_, .repeated): "repeated"
        case .served(_, .sibling): "sibling"
        case .served(_, .proved): "proved"
        case .served(_, .rolledForward): "rolled_forward"
        case .served(_, .unrotated): "unrotated"
        case .superseded: "superseded"
        // The name is a label of metrics, so it must be from a closed set.
        case .ended(let reason): reason.label
        case .recorded: "noted"
        case .refused(.forged): "forged"
        case .refused(.keyUnavailable): "key_not_here_yet"
        case .refused(.unsupportedMode): "mode_not_here_yet"
        case .refused(.intentRequired): "intent_required"
        case .refused(.elsewhere): "elsewhere"
        case .refused(.otherClient): "other_client"
        case .refused(.clockNotTrusted): "clock_not_trusted"
        }
    }
}

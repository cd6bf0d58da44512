// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting

/// A wish for another time on a double's clock.
struct ClockChange: Decodable {
    /// How much later than the true time it is from now on, in seconds.
    var skew: Double?
    /// How far it moves, in seconds.
    var step: Double?

    func apply(to backend: AppBackend) throws {
        guard (skew == nil) != (step == nil) else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "the clock takes skew or step"))
        }
        let before = backend.settings.clockSkew / .seconds(1)
        try backend.settings.merge(try JSONEncoder().encode(["clock_skew": skew ?? before + (step ?? 0)]))
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetTesting

/// A request to change the clock of a fake backend.
struct ClockChange: Decodable {
    /// The new amount by which the clock is ahead of the true time, in seconds.
    var skew: Double?
    /// The amount by which to move the clock, in seconds.
    var step: Double?

    func apply(to backend: AppBackend) throws {
        guard (skew == nil) != (step == nil) else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "the clock takes skew or step"))
        }
        let before = backend.settings.clockSkew / .seconds(1)
        try backend.settings.merge(try JSONEncoder().encode(["clock_skew": skew ?? before + (step ?? 0)]))
    }
}

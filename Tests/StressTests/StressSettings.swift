// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

@testable import StressWorker

/// How long and with which seed the stress test runs.
///
/// `FRESHET_STRESS_SECONDS`, `FRESHET_STRESS_SEED` and `FRESHET_STRESS_RULE` change it.
struct StressSettings {
    /// The duration of the whole suite, in seconds.
    let seconds: Double
    let seed: UInt64
    /// The kinds of backends, one after the other.
    let rules: [RotationMode]

    static let current: StressSettings = {
        let environment = ProcessInfo.processInfo.environment
        let seconds = environment["FRESHET_STRESS_SECONDS"].flatMap(Double.init) ?? 4
        let seed = environment["FRESHET_STRESS_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...999_999)
        let rules = environment["FRESHET_STRESS_RULE"].flatMap(RotationMode.init).map { [$0] } ?? RotationMode.allCases
        return StressSettings(seconds: seconds, seed: seed, rules: rules)
    }()
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SeededRandom

/// A gateway with a rate limit, which answers some requests with 429.
struct Gateway {
    private var random: SeededRandomStream
    private let perMille: Int

    /// Creates the gateway of a plan.
    ///
    /// - Returns: `nil` if the plan has none.
    init?(_ plan: HistoryPlan) {
        guard plan.throttledPerMille > 0 else { return nil }
        random = SeededRandomStream(seed: plan.seed, device: 2, matter: 50)
        perMille = plan.throttledPerMille
    }

    /// Draws whether the next request is answered with 429.
    ///
    /// - Returns: Its `Retry-After`; `nil` if the request passes.
    mutating func pause() -> Duration? {
        let place = random.number(in: 0...999)
        let seconds = random.number(in: 1...60)
        return place < perMille ? .seconds(seconds) : nil
    }
}

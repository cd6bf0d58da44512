// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

extension RateLimitPlan {
    /// A charge with its key's digest, which is computed outside of any lock.
    package struct DigestedCharge: Sendable {
        package var charge: RateLimitCharge
        package var key: Bits128
    }

    package var digested: [[DigestedCharge]] {
        alternatives.map { $0.map { DigestedCharge(charge: $0, key: $0.key.digest) } }
    }
}

extension TokenBucketTable {
    /// The result of charging a plan.
    package enum ChargeResult: Sendable {
        /// These tokens were taken.
        case charged([RateLimitPlan.DigestedCharge])
        /// No alternative has a token in each of its buckets.
        ///
        /// The shortest wait, and a bucket without a token.
        case refused(wait: Duration, by: RateLimitKey)
    }

    /// Takes a token from each bucket of the first alternative that has one in all of them.
    package mutating func charge(_ alternatives: [[RateLimitPlan.DigestedCharge]], now: Timestamp) -> ChargeResult {
        var refusal: (wait: Duration, key: RateLimitKey)?
        for charges in alternatives {
            guard let wait = take(charges.map { ($0.key, $0.charge.limit) }, now: now) else { return .charged(charges) }
            if let refusal, refusal.wait <= wait { continue }
            let empty = charges.first { self.wait([($0.key, $0.charge.limit)], now: now) != nil } ?? charges[0]
            refusal = (wait, empty.charge.key)
        }
        return refusal.map { .refused(wait: $0.wait, by: $0.key) } ?? .charged([])
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetKit

/// Requests of the app with an access token.
extension ConformanceRun {
    mutating func calls() async throws {
        guard let access = tokens?.access else { return }
        guard plan.canCall else { return add(.skipped(.call, "give a request of the app, such as --call GET /path")) }
        if let reaction = try await call(.call, access) { add(.call(reaction)) }
        let bad: [(ConformanceStep, String)] = [
            (.garbageAccessToken, TamperedToken.garbage), (.alteredAccessToken, TamperedToken.tampered(access)),
        ]
        for (step, token) in bad {
            if let reaction = try await call(step, token) { add(.refusedCall(step, reaction)) }
        }
    }

    /// Sends a request with the previous access token; a refusal counts only before its expiry.
    mutating func olderCall(_ old: Tokens, askedAt: Duration) async throws {
        let step = ConformanceStep.olderAccessToken
        guard plan.canCall, let reaction = try await call(step, old.access) else { return }
        // Most backends state times in whole seconds.
        guard reaction.isSuccess || time(since: askedAt) + 1 < old.lifetime else {
            return add(
                .skipped(
                    step,
                    "its lifetime is \(ConformanceFinding.text(old.lifetime)), and the responses took as long"
                )
            )
        }
        add(.olderCall(reaction))
    }

    /// Waits for the access token to expire, if its lifetime is within the plan's longest wait.
    ///
    /// - Parameter askedAt: The time at which the token was requested.
    /// - Throws: `CancellationError`.
    mutating func expiredCall(askedAt: Duration) async throws {
        guard plan.canCall, let tokens else { return }
        let step = ConformanceStep.expiredAccessToken
        let passed = time(since: askedAt)
        let longestWait = plan.longestWait.seconds
        guard tokens.lifetime.isFinite, plan.waitsForExpiry || tokens.lifetime - passed <= longestWait else {
            let life = tokens.lifetime.isFinite ? ConformanceFinding.text(tokens.lifetime) : "for an unknown time"
            return add(.skipped(step, "its lifetime is \(life); --wait-for-expiry waits until it expires"))
        }
        // Most backends state times in whole seconds.
        try await wait(tokens.lifetime - passed + 1.5, for: "the access token to expire")
        guard var reaction = try await call(step, tokens.access) else { return }
        let extraWait = min(longestWait, 10)
        if reaction.isSuccess, extraWait > 0 {
            try await wait(extraWait, for: "the backend to reject the expired access token")
            guard let later = try await call(step, tokens.access) else { return }
            reaction = later
        }
        add(.refusedCall(step, reaction))
    }
}

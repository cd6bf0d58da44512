// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetKit

/// Findings about refreshes, valid and invalid.
extension ConformanceFinding {
    /// Checks a refresh with the newest token.
    ///
    /// - Parameters:
    ///   - reaction: The response.
    ///   - fault: The reason that the tokens in the response cannot be read.
    ///   - isSameAccess: Whether the response has the previous access token.
    /// - Returns: The finding; only success agrees.
    static func refresh(_ reaction: ConformanceReaction, fault: String? = nil, isSameAccess: Bool = false)
        -> ConformanceFinding
    {
        guard reaction.outcome == .delivered, fault == nil else {
            let reading = fault.map { "\(reaction.interpretation), but \($0)" } ?? reaction.interpretation
            let advice =
                fault == nil
                ? "A refresh token that was just issued must be accepted: check `endpoints.refresh`."
                : "Check `reply`: its selectors give the places of the tokens."
            let weaknesses = reaction.status >= 500 ? ["a refresh with a valid token fails (\(reaction.status))"] : []
            let summary = reaction.summary
            return ConformanceFinding(.refresh, summary, reading, .differs, weaknesses: weaknesses, advice: advice)
        }
        let weaknesses = isSameAccess ? ["a refresh returns the previous access token"] : []
        return ConformanceFinding(.refresh, reaction.summary, reaction.interpretation, .agrees, weaknesses: weaknesses)
    }

    /// Checks a refresh with an invalid or expired refresh token.
    ///
    /// The contract may classify a made-up token as an error of the client, because it never belonged to a session. A
    /// tampered token and a token of an ended session must end the session: otherwise a client would retry forever.
    static func deadRefresh(_ step: ConformanceStep, _ reaction: ConformanceReaction) -> ConformanceFinding {
        var finding = ConformanceFinding(step, reaction.summary, reaction.interpretation, .agrees)
        if reaction.status >= 500 {
            finding.weaknesses = ["\(step.title): the server fails (\(reaction.status)), so the session does not end"]
        }
        switch (reaction.outcome, step) {
        case (.sessionEnded, _): break
        case (.superseded, .usedRefreshTokenLater), (.superseded, .usedRefreshToken): break
        case (.delivered, .refreshAfterLogout):
            finding.agreement = .unspecified
            finding.weaknesses = ["a refresh token still works after the sign-out"]
        case (.delivered, _):
            finding.agreement = .differs
            finding.weaknesses = ["\(step.title): accepted"]
        case (.misconfigured, .garbageRefreshToken), (.refused, .garbageRefreshToken): break
        case (_, .garbageRefreshToken): finding.agreement = .unspecified
        case _ where reaction.isInconclusive: finding.agreement = .unspecified
        default:
            finding.agreement = .differs
            finding.advice = reaction.rule(on: "refresh", outcome: "sessionEnded")
        }
        return finding
    }

    /// The reuse of a refresh token.
    struct Reuse: Equatable, Sendable {
        /// The time since its first use, in seconds.
        var after: Double
        /// The grace period that the contract allows.
        var grace: Double?
        /// Whether the response has the refresh token that the first use returned.
        var isSameSuccessor = false
        /// Whether the contract binds a refresh to its intent, and the intent was the same.
        var isRepeat = false
    }

    static func reuse(_ step: ConformanceStep, _ reaction: ConformanceReaction, _ reuse: Reuse) -> ConformanceFinding {
        guard reaction.outcome == .delivered else { return refusedReuse(step, reaction, reuse) }
        let successor = reuse.isSameSuccessor ? "the same successor" : "another refresh token"
        let backend = "\(reaction.summary), accepted \(text(reuse.after)) after its use: \(successor)"
        if reuse.isRepeat {
            return ConformanceFinding(
                step,
                backend,
                "a repeat gets the same successor",
                reuse.isSameSuccessor ? .agrees : .differs,
                weaknesses: reuse.isSameSuccessor ? [] : ["a repeated refresh returns another successor"]
            )
        }
        let contract =
            reuse.grace.map { "\(reaction.interpretation); reuseGrace \(text($0))" } ?? reaction.interpretation
        if let grace = reuse.grace, reuse.after <= grace {
            return ConformanceFinding(step, backend, contract, .agrees)
        }
        var finding = ConformanceFinding(step, backend, contract, reuse.grace == nil ? .unspecified : .differs)
        if step == .usedRefreshTokenLater {
            finding.weaknesses = ["a used refresh token works \(text(reuse.after)) later: a theft is not detected"]
        }
        if reuse.grace != nil { finding.advice = "Remove `reuseGrace`, or set it to the backend's grace period." }
        return finding
    }

    private static func refusedReuse(
        _ step: ConformanceStep,
        _ reaction: ConformanceReaction,
        _ reuse: Reuse
    ) -> ConformanceFinding {
        var finding = deadRefresh(step, reaction)
        finding.backend += ", \(text(reuse.after)) after its use"
        if reuse.isRepeat {
            finding.agreement = .differs
            finding.advice = #"The "confirmed" rotation is for Freshet's own server."#
        } else if let grace = reuse.grace, reuse.after < grace, !reaction.isInconclusive {
            finding.agreement = .differs
            finding.contract += "; reuseGrace \(text(grace))"
            finding.advice = "Remove `reuseGrace`: the backend does not accept a used token."
        }
        return finding
    }

    /// Checks the newest refresh token after a used one was refused.
    static func newest(_ reaction: ConformanceReaction, isProved: Bool) -> ConformanceFinding {
        let step = ConformanceStep.newestRefreshToken
        guard reaction.outcome == .delivered else {
            var finding = deadRefresh(step, reaction)
            finding.backend += ": reuse ends the whole session"
            return finding
        }
        let weaknesses =
            isProved ? [] : ["reuse is refused but does not end the session: a thief who refreshes first keeps it"]
        return ConformanceFinding(
            step,
            "\(reaction.summary), still works",
            reaction.interpretation,
            isProved ? .agrees : .unspecified,
            weaknesses: weaknesses
        )
    }
}

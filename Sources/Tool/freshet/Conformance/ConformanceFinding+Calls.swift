// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetKit

/// Findings about the app's requests.
extension ConformanceFinding {
    static func call(_ reaction: ConformanceReaction) -> ConformanceFinding {
        guard reaction.isSuccess, reaction.outcome == .delivered else {
            let advice = "Check --call and the contract's `attach`: a valid token must be accepted."
            return ConformanceFinding(.call, reaction.summary, reaction.interpretation, .differs, advice: advice)
        }
        return ConformanceFinding(.call, reaction.summary, reaction.interpretation, .agrees)
    }

    /// Checks a request with a token that the backend must refuse.
    ///
    /// Clients present only tokens that were issued, so the contract may classify a made-up token in any way. A
    /// tampered token is equivalent to a token that was issued before a change of the server's keys.
    static func refusedCall(_ step: ConformanceStep, _ reaction: ConformanceReaction) -> ConformanceFinding {
        var finding = ConformanceFinding(step, reaction.summary, reaction.interpretation, .agrees)
        let what =
            switch step {
            case .garbageAccessToken: "a made-up access token"
            case .expiredAccessToken: "an expired access token"
            default: "an altered access token"
            }
        if reaction.isSuccess {
            finding.agreement = .differs
            finding.weaknesses = ["\(what) is accepted"]
            finding.advice = "Request a resource that only a signed-in user may see, or fix the backend."
            return finding
        }
        if reaction.status != 401 { finding.weaknesses = ["\(what) is answered with \(reaction.status), not 401"] }
        switch reaction.outcome {
        case .accessExpired, .sessionEnded: break
        case _ where reaction.isInconclusive || step == .garbageAccessToken: finding.agreement = .unspecified
        default:
            finding.agreement = .differs
            finding.advice = reaction.rule(on: "api", outcome: "accessExpired")
        }
        return finding
    }

    /// Checks a request with the access token that a refresh replaced.
    static func olderCall(_ reaction: ConformanceReaction) -> ConformanceFinding {
        earlierCall(
            .olderAccessToken,
            reaction,
            accepted: "still accepted",
            weakness: "a refresh invalidates the earlier access token: requests in flight are rejected"
        )
    }

    /// Checks a request with the access token of a session that was signed out.
    static func callAfterLogout(_ reaction: ConformanceReaction) -> ConformanceFinding {
        earlierCall(.callAfterLogout, reaction, accepted: "still accepted, until the token expires", weakness: nil)
    }

    private static func earlierCall(
        _ step: ConformanceStep,
        _ reaction: ConformanceReaction,
        accepted: String,
        weakness: String?
    ) -> ConformanceFinding {
        if reaction.isSuccess {
            return ConformanceFinding(step, "\(reaction.summary), \(accepted)", "", .unspecified)
        }
        var finding = ConformanceFinding(step, reaction.summary, reaction.interpretation, .agrees)
        finding.weaknesses = weakness.map { reaction.isInconclusive ? [] : [$0] } ?? []
        switch reaction.outcome {
        case .accessExpired, .sessionEnded: break
        case _ where reaction.isInconclusive: finding.agreement = .unspecified
        default:
            finding.agreement = .differs
            finding.advice = reaction.rule(on: "api", outcome: "accessExpired")
        }
        return finding
    }
}

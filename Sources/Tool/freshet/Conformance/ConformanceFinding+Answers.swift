// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetKit

/// Findings about sign-ins, sign-outs and properties of all responses.
extension ConformanceFinding {
    static func signIn(_ reaction: ConformanceReaction, fault: String? = nil) -> ConformanceFinding {
        guard reaction.outcome == .delivered, fault == nil else {
            let reading = fault.map { "\(reaction.interpretation), but \($0)" } ?? reaction.interpretation
            return ConformanceFinding(.signIn, reaction.summary, reading, .differs, advice: "Check `reply`.")
        }
        return ConformanceFinding(.signIn, reaction.summary, reaction.interpretation, .agrees)
    }

    static func wrongPassword(_ reaction: ConformanceReaction) -> ConformanceFinding {
        var finding = ConformanceFinding(.wrongPassword, reaction.summary, reaction.interpretation, .agrees)
        switch reaction.outcome {
        case .refused: break
        case .delivered:
            finding.agreement = .differs
            finding.weaknesses = ["a wrong password is accepted"]
            finding.advice =
                "Check `endpoints`: the password may not be where the backend reads it. Otherwise fix the backend."
        case _ where reaction.isInconclusive: finding.agreement = .unspecified
        default:
            finding.agreement = .differs
            finding.advice = reaction.rule(on: "login", outcome: "refused")
        }
        return finding
    }

    static func logout(_ reaction: ConformanceReaction) -> ConformanceFinding {
        var finding = ConformanceFinding(.logout, reaction.summary, reaction.interpretation, .agrees)
        switch reaction.outcome {
        case .delivered, .sessionEnded: break
        case _ where reaction.rule != nil:
            // The contract has a rule for backends without a sign-out, so this is only a weakness.
            finding.weaknesses = ["the backend has no sign-out: a session ends only on the device"]
        case _ where reaction.isInconclusive:
            finding.agreement = .unspecified
            finding.weaknesses = ["a sign-out fails (\(reaction.status)): the client retries it"]
        default:
            finding.agreement = .differs
            finding.advice = "Check `endpoints.logout`, or remove it if the backend has no sign-out."
        }
        return finding
    }

    /// Checks that errors have a code or a message where the contract expects them.
    ///
    /// - Parameters:
    ///   - reactions: The refusals of token endpoints.
    ///   - looks: Whether the contract has selectors for errors.
    /// - Returns: The finding, which is `unspecified` if the contract has no selectors.
    static func errors(_ reactions: [ConformanceReaction], looks: Bool) -> ConformanceFinding {
        let readable = reactions.count { $0.code != nil || $0.message != nil }
        let backend = "\(readable) of \(reactions.count) refusals can be read"
        guard looks else { return ConformanceFinding(.errors, "\(reactions.count) refusals", "", .unspecified) }
        guard readable == 0 else { return ConformanceFinding(.errors, backend, "errors.code, errors.message", .agrees) }
        let advice = "Check `errors`: its selectors find neither a code nor a message."
        return ConformanceFinding(.errors, backend, "errors.code, errors.message", .differs, advice: advice)
    }

    /// Checks that token responses must not be cached (RFC 6749 section 5.1).
    static func caching(_ fields: [String?]) -> ConformanceFinding {
        let kept = fields.filter { $0?.lowercased().contains("no-store") != true }
        let seen = Set(fields.map { $0 ?? "none" }).sorted().joined(separator: "; ")
        let weaknesses = kept.isEmpty ? [] : ["replies with tokens lack Cache-Control: no-store"]
        return ConformanceFinding(.caching, seen, "", .unspecified, weaknesses: weaknesses)
    }

    /// Checks that token endpoints do not redirect, since another host could read the token.
    static func redirects(_ places: [String]) -> ConformanceFinding {
        guard let first = places.first else { return ConformanceFinding(.redirects, "none", "never followed", .agrees) }
        return ConformanceFinding(
            .redirects,
            "to \(first)",
            "never followed",
            .differs,
            advice: "Use the path of the redirect; often only the trailing slash is missing."
        )
    }

    /// Compares the server's clock with the clock of this machine.
    ///
    /// - Parameters:
    ///   - skew: The amount by which the server is ahead; `nil` if no response has a date.
    ///   - tokenSkew: The amount by which the token's `iat` is ahead of the response; `nil` without `iat`.
    /// - Returns: The finding; contracts do not specify clocks.
    static func clock(skew: Double?, tokenSkew: Double?) -> ConformanceFinding {
        func ahead(_ seconds: Double) -> String {
            let size = text(abs(seconds))
            return abs(seconds) <= 5 ? "right" : seconds > 0 ? "\(size) ahead" : "\(size) behind"
        }
        var backend = [skew.map { "Date: \(ahead($0))" } ?? "no Date header"]
        backend.append(tokenSkew.map { "iat: \(ahead($0))" } ?? "no iat")
        var weaknesses: [String] = []
        if let skew, abs(skew) > 5 {
            weaknesses.append("the server's clock is \(ahead(skew)) of this machine's clock; one of them is wrong")
        }
        if let tokenSkew, abs(tokenSkew) > 5 {
            weaknesses.append("the tokens' times are \(ahead(tokenSkew)) of the time of their response")
        }
        if skew == nil { weaknesses.append("responses have no Date: a client cannot check its own clock") }
        let contract = "the clock of the device never decides alone"
        return ConformanceFinding(
            .clock,
            backend.joined(separator: "; "),
            contract,
            .unspecified,
            weaknesses: weaknesses
        )
    }
}

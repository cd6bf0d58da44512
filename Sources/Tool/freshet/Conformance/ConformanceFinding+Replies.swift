// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetKit

/// Findings about token responses.
extension ConformanceFinding {
    /// A shorter lifetime, in seconds, is more likely read in a wrong unit.
    private static let shortestPlausibleLifetime: Double = 5

    /// Checks the lifetime of the access token, and its source.
    ///
    /// - Parameters:
    ///   - claims: The values of the contract's sources.
    ///   - claimed: The lifetime in the token itself, if it is a JWT.
    ///   - unread: A common name for the lifetime that the response has and the contract does not read.
    /// - Returns: The finding; an assumed lifetime is `unspecified`, and one that is hardly meant `differs`.
    static func expiry(_ claims: [ExpiryClaim], claimed: Double?, unread: String?) -> ConformanceFinding {
        let inAnswer = claims.filter { $0.source.isPlace && $0.seconds != nil }
        var told = inAnswer.map { "\($0.source.phrase): \(text($0.seconds ?? 0))" }
        if let claimed { told.append("the token's exp: \(text(claimed))") }
        if let unread { told.append("\(unread), which the contract does not read") }
        let backend = told.isEmpty ? "says nothing" : told.joined(separator: "; ")
        let contract = claims.map(\.source.phrase).joined(separator: ", else ")
        var finding = ConformanceFinding(.expiry, backend, contract.isEmpty ? "nothing" : contract, .agrees)
        if inAnswer.isEmpty, unread == nil {
            let rest =
                claimed == nil ? "nothing gives the access token's expiry" : "only the token itself contains its expiry"
            finding.weaknesses.append("no expires_in: \(rest)")
        }
        if let said = inAnswer.first?.seconds, let claimed, abs(said - claimed) > 5 {
            finding.weaknesses.append("the reply says \(text(said)), the token itself \(text(claimed))")
        }
        if let claim = inAnswer.first, let said = claim.seconds, said < shortestPlausibleLifetime,
            claimed.map({ abs($0 - said) > 5 }) ?? true
        {
            // Milliseconds for seconds, or a past instant: every token would count as expired on arrival.
            let end = said < 0 ? "in the past" : "after \(text(said))"
            finding.agreement = .differs
            finding.advice = "Check `unit` of \(claim.source.phrase) in `reply.expiry`: the token would expire \(end)."
        }
        if inAnswer.isEmpty, claimed == nil {
            // An assumed lifetime is meant for this case.
            let assumes = claims.contains { if case .assumed = $0.source { true } else { false } }
            finding.agreement = assumes ? .unspecified : .differs
            finding.advice = assumes ? nil : #"Add { "assume": 300 } at the end of `reply.expiry`, with a true number."#
        }
        if let unread, inAnswer.isEmpty {
            finding.agreement = .differs
            finding.advice = #"Add { "in": "\#(unread)", "unit": "s" } to `reply.expiry`, or `at` if it is an instant."#
        }
        return finding
    }

    /// The refresh token in the response to a refresh.
    enum Successor: String, Sendable {
        case new = "a new refresh token"
        case same = "the same refresh token"
        case none = "no refresh token"

        init(_ new: String?, after old: String) {
            self = new.map { $0 == old ? .same : .new } ?? .none
        }
    }

    static func rotation(_ successor: Successor, _ rotation: Rotation) -> ConformanceFinding {
        var finding = ConformanceFinding(.rotation, successor.rawValue, "rotation \(rotation.rawValue)", .agrees)
        if successor != .new, rotation != .sliding {
            finding.weaknesses = ["the refresh token stays the same: its theft is not detected"]
        }
        switch (rotation, successor) {
        case (.always, .same), (.always, .none), (.confirmed, .same), (.confirmed, .none):
            finding.agreement = .differs
            finding.advice = #"Say "rotation": "never", or "optional" if this differs between backends."#
        case (.never, .new):
            finding.agreement = .differs
            finding.advice = #"Say "rotation": "always", or "optional" if this differs between backends."#
        default: break
        }
        return finding
    }

    static func text(_ seconds: Double) -> String {
        abs(seconds) < 1e9 ? "\(Int(seconds.rounded())) s" : "for ever"
    }
}

extension ExpirySource {
    /// A phrase for the source.
    var phrase: String {
        switch self {
        case .lifetime(let place, _, _), .instant(let place, _): "\(place)"
        case .token: "the token's exp"
        case .assumed(let seconds): "\(ConformanceFinding.text(seconds)) assumed"
        }
    }
}

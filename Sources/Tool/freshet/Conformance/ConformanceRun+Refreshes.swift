// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetKit
import FreshetWire

/// Refreshes, valid and invalid.
extension ConformanceRun {
    /// A used refresh token with all values of its refresh, so that it can be repeated.
    private struct Used {
        var tokens: Tokens
        var intent: String?
        var at: Duration
        var successor: String?
    }

    mutating func refreshes() async throws {
        let rotation = plan.contract.rotation
        guard let first = tokens else { return }
        guard rotation != .none else { return add(.skipped(.refresh, "the contract has none")) }
        guard credential(first) != nil else {
            let advice = "Check `reply.refresh`, and the parameters of the sign-in (often a scope is missing)."
            return add(.init(.refresh, "the sign-in returned no refresh token", "", .differs, advice: advice))
        }
        let (firstAskedAt, askedAt) = (tokensAskedAt, clock.now())
        guard let used = try await refresh(.refresh, first) else { return }
        try await olderCall(first, askedAt: firstAskedAt)
        if rotation == .confirmed { try await confirmedReuse(used) }
        if tokens != nil { try await expiredCall(askedAt: askedAt) }
        try await deadTokens()
        if rotation != .confirmed { try await plainReuse() } else { try await otherIntent() }
    }

    /// Returns the token that a refresh presents.
    private func credential(_ tokens: Tokens) -> String? {
        plan.contract.rotation == .sliding ? tokens.access : tokens.refresh
    }

    private func presenting(_ credential: String, _ tokens: Tokens, _ intent: String?) -> [String: String?] {
        let isSliding = plan.contract.rotation == .sliding
        return [
            "refresh_token": isSliding ? tokens.refresh : credential,
            "access_token": isSliding ? credential : tokens.access,
            "intent": intent,
        ]
    }

    private var intent: String? { plan.contract.rotation == .confirmed ? Intent.random().text : nil }

    /// Refreshes with valid tokens.
    ///
    /// - Returns: `nil` if the refresh failed, which is recorded under `step`.
    private mutating func refresh(_ step: ConformanceStep, _ old: Tokens) async throws -> Used? {
        guard let presented = credential(old) else { return nil }
        var used = Used(tokens: old, intent: intent, at: clock.now())
        let values = presenting(presented, old, used.intent)
        guard let (answer, reaction) = try await send(step, .refresh, values, on: .refresh) else { return nil }
        guard reaction.outcome == .delivered else {
            add(.refresh(reaction))
            return nil
        }
        do throws(ProbeReply.Unreadable) {
            let new = try answer.tokens()
            used.successor = new.refresh
            recordTokens(new, from: answer)
            recordExpiry(of: new, in: answer)
            guard step == .refresh else { return used }
            add(.refresh(reaction, isSameAccess: new.access == old.access))
            let isSliding = plan.contract.rotation == .sliding
            let successor = isSliding ? .none : ConformanceFinding.Successor(new.refresh, after: presented)
            add(.rotation(successor, plan.contract.rotation))
            return used
        } catch {
            add(.refresh(reaction, fault: error.reason))
            return nil
        }
    }

    private mutating func deadTokens() async throws {
        guard let tokens, let good = credential(tokens) else { return }
        let bad: [(ConformanceStep, String)] = [
            (.garbageRefreshToken, TamperedToken.garbage), (.alteredRefreshToken, TamperedToken.tampered(good)),
        ]
        for (step, token) in bad {
            let values = presenting(token, tokens, intent)
            if let reaction = try await send(step, .refresh, values, on: .refresh)?.reaction {
                add(.deadRefresh(step, reaction))
            }
        }
    }

    // MARK: Used tokens

    /// Presents a used token, then the newest one.
    private mutating func plainReuse() async throws {
        guard let old = tokens, let used = try await refresh(.usedRefreshToken, old) else { return }
        guard plan.contract.rotation == .sliding || used.successor.map({ $0 != old.refresh }) == true else {
            return add(.skipped(.usedRefreshToken, "the refresh token stays the same"))
        }
        guard let first = try await present(used, at: .usedRefreshToken) else { return }
        if first.outcome == .delivered {
            let grace = plan.contract.reuseGrace ?? plan.longestWait.seconds
            guard grace <= plan.longestWait.seconds else {
                let reason = "reuseGrace is \(ConformanceFinding.text(grace)); --longest-wait waits that long"
                return add(.skipped(.usedRefreshTokenLater, reason))
            }
            let rest = grace + 1 - time(since: used.at)
            try await wait(rest, for: "the grace period of used refresh tokens to end")
            guard let later = try await present(used, at: .usedRefreshTokenLater), later.outcome != .delivered else {
                return
            }
        }
        try await newest(isProved: false)
    }

    /// Repeats the same refresh, before and after its response is confirmed.
    private mutating func confirmedReuse(_ used: Used) async throws {
        _ = try await present(used, at: .usedRefreshToken)
        guard let tokens else { return }
        _ = try await send(.usedRefreshTokenLater, .confirm, ["refresh_token": tokens.refresh], on: .confirm)
        _ = try await present(used, at: .usedRefreshTokenLater)
    }

    /// Presents one token with a second intent, as a second holder of the token would.
    private mutating func otherIntent() async throws {
        guard let old = tokens else { return }
        try await newest(isProved: true)
        let values = presenting(old.refresh ?? "", old, intent)
        guard let reaction = try await send(.otherIntent, .refresh, values, on: .refresh)?.reaction else { return }
        add(.deadRefresh(.otherIntent, reaction))
        if reaction.outcome != .delivered { tokens = nil }
    }

    private mutating func present(_ used: Used, at step: ConformanceStep) async throws -> ConformanceReaction? {
        let after = time(since: used.at)
        let values = presenting(credential(used.tokens) ?? "", used.tokens, used.intent)
        guard let (answer, reaction) = try await send(step, .refresh, values, on: .refresh) else { return nil }
        let came = reaction.outcome == .delivered ? try? answer.tokens() : nil
        let isRepeat = used.intent != nil && step == .usedRefreshToken
        let reuse = ConformanceFinding.Reuse(
            after: after,
            grace: plan.contract.reuseGrace,
            isSameSuccessor: came?.refresh == used.successor,
            isRepeat: isRepeat
        )
        add(.reuse(step, reaction, reuse))
        if let came { recordTokens(came, from: answer) }
        return reaction
    }

    private mutating func newest(isProved: Bool) async throws {
        guard let tokens, let presented = credential(tokens) else { return }
        let values = presenting(presented, tokens, intent)
        let step = ConformanceStep.newestRefreshToken
        guard let (answer, reaction) = try await send(step, .refresh, values, on: .refresh) else { return }
        add(.newest(reaction, isProved: isProved))
        if reaction.outcome == .delivered, let new = try? answer.tokens() {
            recordTokens(new, from: answer)
        } else {
            self.tokens = nil
        }
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

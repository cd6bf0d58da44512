// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetKit

/// The start of a session.
extension ConformanceRun {
    /// Starts the session that is tested.
    ///
    /// - Returns: Whether a session was started.
    /// - Throws: `ToolError` for failures unrelated to the contract: wrong credentials, or no response.
    mutating func signIn() async throws -> Bool {
        if case .tokens(let grant) = plan.signIn {
            adopt(grant)
            return true
        }
        guard let (answer, reaction) = try await askForTokens() else { return try failed(findings.last) }
        guard reaction.outcome == .delivered else {
            switch reaction.outcome {
            case .refused: throw ToolError.signInNeeded("the backend refuses the sign-in: \(reaction.summary)")
            case .throttled: throw ToolError.network("the backend throttles the sign-in: \(reaction.summary)")
            case .transient where reaction.isInconclusive:
                throw ToolError.network("the backend fails at the sign-in: \(reaction.summary)")
            default:
                add(.signIn(reaction))
                return false
            }
        }
        do throws(ProbeReply.Unreadable) {
            let tokens = try answer.tokens()
            add(.signIn(reaction))
            recordExpiry(of: tokens, in: answer)
            recordTokens(tokens, from: answer)
            return true
        } catch {
            add(.signIn(reaction, fault: error.reason))
            return false
        }
    }

    /// Records the sources of the access token's lifetime, once per run.
    mutating func recordExpiry(of new: Tokens, in answer: ProbeReply) {
        guard !findings.contains(where: { $0.step == .expiry }) else { return }
        let claims = answer.expiryClaims(of: new.access)
        add(.expiry(claims, claimed: answer.claimedLifetime(of: new.access), unread: answer.unreadLifetime))
    }

    /// Starts a second session after the end of the first.
    mutating func signInAgain() async throws {
        tokens = nil
        switch plan.signIn {
        case .fields(let name, let values): try await repeatSignIn(name, values)
        case .signUp(let values): try await repeatSignIn(.password, values)
        case .code, .tokens: break
        }
    }

    private mutating func repeatSignIn(_ name: EndpointName, _ values: [String: String]) async throws {
        guard let answer = try await send(.logout, name, values, on: .login)?.answer else { return }
        if let new = try? answer.tokens() { recordTokens(new, from: answer) }
    }

    private mutating func askForTokens() async throws -> (answer: ProbeReply, reaction: ConformanceReaction)? {
        switch plan.signIn {
        case .fields(let name, let values): return try await send(.signIn, name, values, on: .login)
        case .signUp(let values): return try await send(.signIn, .signup, values, on: .login)
        case .code(let email, let code):
            let known = ["email": email, "username": email]
            guard let asked = try await send(.signIn, .code, known, on: .login) else { return nil }
            guard asked.reaction.outcome == .delivered else { return asked }
            let attempt = (try? asked.answer.attempt()) ?? ""
            let entered = try code().text
            let values = known.merging(["attempt": attempt, "code": entered]) { $1 }
            return try await send(.signIn, .codeVerify, values.filter { !$0.value.isEmpty }, on: .login)
        case .tokens: return nil
        }
    }

    private mutating func failed(_ finding: ConformanceFinding?) throws -> Bool {
        guard let finding, finding.agreement == .skipped else {
            throw ToolError.network("\(plan.baseURL.absoluteString): no response to the sign-in")
        }
        throw ToolError.usage(String(finding.backend.trimmingPrefix("not tried: ")))
    }

    private mutating func adopt(_ grant: TokenGrant) {
        let lifetime = grant.expiresIn?.seconds ?? .infinity
        let new = Tokens(access: grant.accessToken, refresh: grant.refreshToken, lifetime: lifetime)
        add(.skipped(.signIn, "the tokens were given"))
        recordTokens(new, from: nil)
    }
}

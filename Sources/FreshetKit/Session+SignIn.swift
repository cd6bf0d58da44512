// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetWire

extension Session {
    /// Makes an account and signs in to it.
    public func signUp(email: String, password: String) async throws(SessionError) {
        let request = passwordRequest(email, password)
        try await signIn { endpoint throws(TokenEndpoint.Failure) in
            try await endpoint.signIn(request, to: NativePath.signup)
        }
    }

    /// Has a code sent to an address.
    ///
    /// The answer is the same whether or not there is such an account.
    public func requestEmailCode(email: String) async throws(SessionError) -> EmailCodeAttempt {
        let asked = endpoint.clock.wall()
        do throws(TokenEndpoint.Failure) {
            let body = try await endpoint.signIn(CodeRequest(email: email), to: NativePath.loginCode)
            guard let attempt = try? JSONDecoder().decode(CodeAttempt.self, from: body) else {
                throw .init(outcome: .contractViolation("the answer to a request for a code cannot be read"))
            }
            return EmailCodeAttempt(
                id: attempt.attempt,
                email: email,
                expiresAt: asked.addingTimeInterval(Double(attempt.expiresIn)),
                intent: Intent.random().text
            )
        } catch {
            throw SessionError(error)
        }
    }

    /// Signs in.
    ///
    /// The session is stored when this returns; one that was there before is signed out.
    public func signIn(_ credentials: Credentials) async throws(SessionError) {
        switch credentials {
        case .password(let email, let password):
            let request = passwordRequest(email, password)
            try await signIn { endpoint throws(TokenEndpoint.Failure) in
                try await endpoint.signIn(request, to: NativePath.loginPassword)
            }
        case .emailCode(let attempt, let code):
            let request = CodeVerification(
                attempt: attempt.id,
                code: code,
                device: configuration.device.wire,
                intent: attempt.intent
            )
            // With the same intent a repeat after a lost answer reaches the same session.
            try await signIn(attempts: 3) { endpoint throws(TokenEndpoint.Failure) in
                try await endpoint.signIn(request, to: NativePath.loginCodeVerify)
            }
        case .tokens(let tokens):
            let askedAt = endpoint.clock.moment
            let id = try await driver.beginSignIn()
            let grant: SessionGrant
            do throws(ContractFault) { grant = try contract.grant(from: tokens) } catch {
                throw .contractFault(error.message)
            }
            try await driver.finishSignIn(id, grant, askedAt: askedAt)
        }
    }

    private func passwordRequest(_ email: String, _ password: String) -> PasswordCredentials {
        PasswordCredentials(email: email, password: password, device: configuration.device.wire)
    }

    private func signIn(
        attempts: Int = 1,
        by ask: (TokenEndpoint) async throws(TokenEndpoint.Failure) -> Data
    ) async throws(SessionError) {
        let id = try await driver.beginSignIn()
        var failures = 0
        while true {
            let askedAt = endpoint.clock.moment
            let grant: SessionGrant
            do {
                grant = try contract.grant(from: try await ask(endpoint))
            } catch let failure as TokenEndpoint.Failure {
                failures += 1
                guard failures < attempts, !failure.isCancellation, case .transient(nil) = failure.outcome else {
                    throw SessionError(failure)
                }
                try await pause(afterFailures: failures)
                continue
            } catch let fault as ContractFault {
                throw .contractFault(fault.message)
            } catch {
                throw .offline(retryAfter: nil)
            }
            do throws(SessionError) {
                return try await driver.finishSignIn(id, grant, askedAt: askedAt)
            } catch {
                // Nobody can use the session that the server made, so it should not live on.
                if case .storeUnavailable = error { _ = await endpoint.present(grant.refreshToken, on: .logout) }
                throw error
            }
        }
    }

    private func pause(afterFailures failures: Int) async throws(SessionError) {
        let clock = endpoint.clock
        let delay = configuration.backoff.delay(afterFailures: failures, retryAfter: nil, chance: clock.chance())
        do { try await clock.sleep(until: clock.now() + delay) } catch { throw .cancelled }
    }
}

extension SessionError {
    /// What a failed call to a token endpoint means to somebody who signs in or out.
    init(_ failure: TokenEndpoint.Failure) {
        self = failure.isCancellation ? .cancelled : SessionError(failure.outcome)
    }

    /// What an outcome other than `delivered` means to the caller.
    init(_ outcome: Outcome) {
        switch outcome {
        case .refused(let code, let message): self = .refused(code: code, message: message)
        case .throttled(let delay), .transient(let delay): self = .offline(retryAfter: delay)
        case .sessionEnded(let reason): self = .signedOut(reason)
        case .stepUp, .forbidden, .accessExpired: self = .refused(code: "access_denied", message: nil)
        case .misconfigured(let fault), .contractViolation(let fault): self = .contractFault(fault)
        case .delivered, .superseded: self = .contractFault("an answer that does not fit the request")
        }
    }
}

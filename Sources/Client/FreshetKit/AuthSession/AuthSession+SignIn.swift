// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract
internal import FreshetWire

extension AuthSession {
    /// Creates an account and signs in to it.
    ///
    /// - Returns: The user, as the response describes it.
    @discardableResult
    public func signUp(email: String, password: String) async throws(SessionError) -> SignInResult {
        try await signIn(.signup, ["email": email, "username": email, "password": password])
    }

    /// Requests a sign-in code by email.
    ///
    /// The response is the same whether or not the account exists.
    public func requestEmailCode(email: String) async throws(SessionError) -> EmailCodeAttempt {
        let asked = endpoint.clock.wall()
        try requireEndpoint(.code)
        do {
            let known = await driver.lastKnownTokens.refreshToken
            let texts = ["email": email, "username": email, "known_device": known]
            let answer = try await endpoint.signIn(.code, TemplateValues(texts: texts))
            let attempt = try contract.attempt(from: answer)
            return EmailCodeAttempt(
                id: attempt.id,
                email: email,
                expiresAt: asked.addingTimeInterval(attempt.lifetime.inSeconds),
                intent: Intent.random().text
            )
        } catch let failure as TokenEndpoint.Failure {
            throw SessionError(failure)
        } catch let fault as ContractFault {
            throw .invalidResponse(fault.message)
        } catch {
            throw .offline(retryAfter: nil)
        }
    }

    /// Signs in.
    ///
    /// The new session is stored before this returns; the previous session is signed out.
    ///
    /// - Returns: The user, as the response describes it.
    @discardableResult
    public func signIn(_ credentials: SignInCredentials) async throws(SessionError) -> SignInResult {
        switch credentials {
        case .password(let email, let password):
            return try await signIn(.password, ["email": email, "username": email, "password": password])
        case .emailCode(let attempt, let code):
            let texts = [
                "attempt": attempt.id, "email": attempt.email, "username": attempt.email, "code": code,
                "intent": attempt.intent,
            ]
            // With the same intent, a repeat after a lost response returns the same session.
            return try await signIn(.codeVerify, texts, attempts: contract.isConfirmed ? 3 : 1)
        case .appleIdentityToken(let token, let nonce, let fullName):
            let texts: [String: String?] = ["identity_token": token, "nonce": nonce, "full_name": fullName]
            var result = try await signIn(.apple, texts)
            result.name = result.name ?? fullName
            return result
        case .fields(let name, let texts):
            guard let endpoint = EndpointName(name), endpoint.isLogin else {
                throw .misconfigured("'\(name)' is not a sign-in: the name of a sign-in begins with 'login.'")
            }
            return try await signIn(endpoint, texts)
        case .tokens(let tokens):
            let askedAt = endpoint.clock.snapshot
            let grant: SessionGrant
            do throws(ContractFault) { grant = try contract.grant(from: tokens) } catch {
                throw .misconfigured(error.message)
            }
            try await signIn { id throws(SessionError) in
                try await driver.finishSignIn(id, grant, askedAt: askedAt)
            }
            return SignInResult(userID: tokens.userID, email: tokens.email)
        }
    }

    /// Runs a sign-in between `beginSignIn` and `endSignIn`, also if it fails.
    private func signIn<Value: Sendable>(
        _ body: (Int) async throws(SessionError) -> Value
    ) async throws(SessionError) -> Value {
        let id = try await driver.beginSignIn()
        let value: Value
        do throws(SessionError) { value = try await body(id) } catch {
            await driver.endSignIn(id)
            throw error
        }
        await driver.endSignIn(id)
        return value
    }

    private func signIn(
        _ name: EndpointName,
        _ texts: [String: String?],
        attempts: Int = 1
    ) async throws(SessionError) -> SignInResult {
        try requireEndpoint(name)
        var values = TemplateValues(texts: texts.mapValues { $0?.isEmpty == false ? $0 : nil })
        values["device"] = configuration.device.json
        values["known_device"] = await driver.lastKnownTokens.refreshToken.map { .string($0) }
        return try await signIn { id throws(SessionError) in
            try await signIn(id, name, values, attempts: attempts)
        }
    }

    private func signIn(
        _ id: Int,
        _ name: EndpointName,
        _ values: TemplateValues,
        attempts: Int
    ) async throws(SessionError) -> SignInResult {
        var failures = 0
        while true {
            let askedAt = endpoint.clock.snapshot
            let grant: SessionGrant, result: SignInResult
            do {
                let answer = try await endpoint.signIn(name, values)
                grant = try contract.grant(from: answer)
                result = contract.result(of: answer, grant)
            } catch let failure as TokenEndpoint.Failure {
                failures += 1
                guard failures < attempts, !failure.isCancellation, case .transient(nil) = failure.outcome,
                    failure.connection?.persists != true
                else { throw SessionError(failure) }
                try await pause(afterFailures: failures)
                continue
            } catch let fault as ContractFault {
                throw .invalidResponse(fault.message)
            } catch {
                throw .offline(retryAfter: nil)
            }
            do throws(SessionError) {
                try await driver.finishSignIn(id, grant, askedAt: askedAt)
                return result
            } catch {
                if case .storeUnavailable = error { await driver.enqueueLogoutOfUnstored(grant, askedAt: askedAt) }
                throw error
            }
        }
    }

    private func requireEndpoint(_ name: EndpointName) throws(SessionError) {
        guard contract.document.endpoints[name] == nil else { return }
        throw .unsupported(.signIn(endpoint: name.text, contract: contract.name))
    }

    private func pause(afterFailures failures: Int) async throws(SessionError) {
        let clock = endpoint.clock
        let delay = configuration.refreshPolicy.backoff.delay(
            afterFailures: failures,
            retryAfter: nil,
            chance: clock.chance()
        )
        do { try await clock.sleep(until: clock.now() + delay, for: .pause("between two attempts to sign in")) } catch {
            throw .cancelled
        }
    }
}

extension DeviceDescription {
    /// The device as a template value, without unknown fields.
    fileprivate var json: JSONValue {
        let members = [
            ("name", name), ("platform", platform), ("model", model), ("app", app), ("app_version", appVersion),
        ]
        return .object(JSONObject(members.compactMap { name, text in text.map { .init(name, .string($0)) } }))
    }
}

extension SessionError {
    /// The error for a failed call to a token endpoint during sign-in or sign-out.
    init(_ failure: TokenEndpoint.Failure) {
        self =
            switch failure.outcome {
            case _ where failure.isCancellation: .cancelled
            case .transient(let delay): .offline(retryAfter: delay, failure: failure.connection)
            case let outcome: SessionError(outcome)
            }
    }

    /// The error for an outcome other than `delivered`.
    init(_ outcome: Outcome) {
        switch outcome {
        case .refused(let code, let message): self = .refused(code: code, message: message)
        case .throttled(let delay), .transient(let delay): self = .offline(retryAfter: delay)
        case .sessionEnded(let reason): self = .signedOut(reason)
        case .stepUp: self = .stepUpRequired
        case .forbidden, .accessExpired: self = .refused(code: "access_denied", message: nil)
        case .invalidRequest(let fault): self = .misconfigured(fault)
        case .misconfigured(let fault), .contractViolation(let fault): self = .invalidResponse(fault)
        case .delivered, .superseded: self = .invalidResponse("it does not fit the request")
        }
    }
}

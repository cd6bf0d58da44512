// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract
internal import FreshetWire

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Sends each request to a token endpoint once, on a new connection and with a timeout.
struct TokenEndpoint: Sendable {
    let contract: Contract
    let baseURL: URL
    /// The values of the contract's own variables and secrets.
    let values: TemplateValues
    let transport: any HTTPTransport
    let clock: SessionClock
    /// The timeout of a request to an endpoint without a timeout of its own in the contract.
    let attemptTimeout: Duration
    /// The timeout of a refresh.
    let refreshTimeout: Duration
    /// The server's clock, estimated from its responses.
    let serverClock = Locked(ServerClockEstimate())
    /// The result of the latest refresh request, for events.
    let refreshTransfer = Locked(RefreshTransfer())

    init(
        contract: Contract,
        baseURL: URL,
        values: TemplateValues,
        transport: any HTTPTransport,
        clock: SessionClock,
        attemptTimeout: Duration,
        callerTimeout: Duration = .zero
    ) {
        self.contract = contract
        self.baseURL = baseURL
        self.values = values
        self.transport = transport
        self.clock = clock
        self.attemptTimeout = attemptTimeout.bounded
        refreshTimeout = contract.refreshTimeout(attempt: attemptTimeout.bounded, caller: callerTimeout.bounded)
    }

    enum RefreshAnswer: Equatable, Sendable {
        case granted(SessionGrant)
        /// The response's status says that the session has ended, but any intermediary can send such a status.
        case unverifiedEnd(SignOutReason)
        case other(Outcome)
    }

    /// The part of a refresh request's result that its outcome does not contain.
    struct RefreshTransfer: Equatable, Sendable {
        /// The status of the response; `nil` without a response.
        var status: Int?
        /// The reason that there is no response.
        var failure: SessionError.ConnectionFailure?
    }

    /// The result of a refresh at its timeout, and the task of a possible later result.
    struct RefreshExchange: Sendable {
        var answer: RefreshAnswer
        /// The task that still waits for the response, if the backend may have used up the refresh token.
        var late: Task<RefreshAnswer, Never>?
    }

    /// Sends a refresh with credentials that are already stored.
    ///
    /// If the backend issues a new refresh token, the request continues beyond the timeout: cancelling it would lose the
    /// successor, and with it the session.
    func refresh(_ pair: RefreshCredentials) async -> RefreshExchange {
        guard contract.usesUpRefreshTokens else {
            return RefreshExchange(answer: await refresh(pair, timeout: refreshTimeout))
        }
        let race = FirstResult<RefreshAnswer?>()
        let work = Task {
            let answer = await refresh(pair, timeout: refreshTimeout * 4)
            race.finish(with: answer)
            return answer
        }
        let end = clock.now() + refreshTimeout
        let alarm = Task {
            if (try? await clock.sleepUntilDeadline(end, "of an attempt to refresh")) != nil {
                race.finish(with: nil)
            }
        }
        defer { alarm.cancel() }
        if let answer = await race.value() { return RefreshExchange(answer: answer) }
        refreshTransfer.withLock { $0 = RefreshTransfer(failure: .timedOut) }
        return RefreshExchange(answer: .other(.transient(retryAfter: nil)), late: work)
    }

    private func refresh(_ pair: RefreshCredentials, timeout: Duration) async -> RefreshAnswer {
        let known: [String: String?] = [
            "refresh_token": pair.refreshToken, "access_token": pair.accessToken, "intent": pair.intent,
        ]
        do {
            let answer = try await send(.refresh, TemplateValues(texts: known), on: .refresh, timeout: timeout)
            return .granted(try contract.grant(from: answer))
        } catch let fault as ContractFault {
            return .other(.contractViolation(fault.message))
        } catch let failure as Failure {
            if failure.isByStatusAlone, case .sessionEnded(let reason) = failure.outcome {
                return .unverifiedEnd(reason)
            }
            return .other(failure.outcome)
        } catch {
            return .other(.transient(retryAfter: nil))
        }
    }

    /// Sends a session's tokens to `confirm`, `report` or `logout`.
    ///
    /// - Returns: The outcome; `delivered` if the contract has no such endpoint.
    func present(_ tokens: TokenPair, on channel: Channel) async -> Outcome {
        let name: EndpointName =
            switch channel {
            case .confirm: .confirm
            case .report: .report
            default: .logout
            }
        guard contract.document.endpoints[name] != nil else { return .delivered }
        do throws(Failure) {
            _ = try await send(name, tokens.values, on: channel)
            return .delivered
        } catch {
            return error.outcome
        }
    }

    /// Signs in, signs up or requests a code.
    func signIn(_ name: EndpointName, _ values: TemplateValues) async throws(Failure) -> HTTPReply {
        try await send(name, values, on: .login)
    }

    /// Calls an endpoint for which the contract places the tokens in a body or header field of its own.
    func call(_ name: EndpointName, _ values: TemplateValues) async throws(Failure) -> HTTPReply {
        try await send(name, values, on: .logout)
    }

    /// Returns the request to an endpoint, without the header field in which requests of the app carry the access
    /// token.
    func request(to name: EndpointName, _ known: TemplateValues) throws(ContractFault) -> (URLRequest, Endpoint) {
        guard let endpoint = contract.document.endpoints[name] else {
            throw ContractFault("the contract '\(contract.name)' has no '\(name)'")
        }
        let free = Set(contract.document.variables.keys)
        return (try endpoint.request(to: baseURL, values.merging(known), free: free), endpoint)
    }

    /// An outcome other than success.
    struct Failure: Error {
        var outcome: Outcome
        /// The caller was cancelled; the outcome is unknown.
        var isCancellation = false
        /// Whether only the response's status says that the session has ended.
        var isByStatusAlone = false
        /// The reason that there is no response.
        var connection: SessionError.ConnectionFailure?
    }

    private func send(
        _ name: EndpointName,
        _ known: TemplateValues,
        on channel: Channel,
        timeout: Duration? = nil
    ) async throws(Failure) -> HTTPReply {
        var request: URLRequest
        let endpoint: Endpoint
        do throws(ContractFault) { (request, endpoint) = try self.request(to: name, known) } catch {
            throw Failure(outcome: .invalidRequest(error.message))
        }
        if endpoint.attachesAccessToken, let token = known["access_token"]?.text {
            do throws(MissingValue) {
                try contract.document.requestAuthorization.attach(token, values, to: &request)
            } catch {
                throw Failure(outcome: .invalidRequest("there is no value for '\(error.name)'"))
            }
        }
        let timeout = timeout ?? endpoint.timeout.map { .bounded(seconds: $0) } ?? attemptTimeout
        var answer: HTTPReply
        if channel == .refresh { refreshTransfer.withLock { $0 = RefreshTransfer() } }
        let sentAt = clock.now()
        do {
            answer = try await withDeadline(sentAt + timeout, on: clock) { [transport, request] in
                let (data, response) = try await transport.exchange(request, deadline: timeout)
                return HTTPReply(data, response)
            }
        } catch {
            let connection: SessionError.ConnectionFailure
            switch error {
            case .cancelled: throw Failure(outcome: .transient(retryAfter: nil), isCancellation: true)
            case .failed(let error as URLError) where error.code == .dataLengthExceedsMaximum:
                throw Failure(outcome: .contractViolation("the response is too large"))
            case .failed(let error): connection = SessionError.ConnectionFailure(error)
            case .timedOut: connection = .timedOut
            }
            if channel == .refresh { refreshTransfer.withLock { $0 = RefreshTransfer(failure: connection) } }
            // A missing response is inconclusive, regardless of the transport's error.
            throw Failure(outcome: .transient(retryAfter: nil), connection: connection)
        }
        if channel == .refresh {
            refreshTransfer.withLock { [status = answer.status] in $0 = RefreshTransfer(status: status) }
        }
        updateServerClock(from: &answer, sentAt: sentAt)
        let secrets = ["refresh_token", "access_token", "intent"].compactMap { known[$0]?.text }
        let outcome = contract.classify(answer, on: channel, hiding: secrets)
        guard outcome == .delivered else {
            let isBare = channel == .refresh && contract.classifier.endsByStatusAlone(answer)
            throw Failure(outcome: outcome, isByStatusAlone: isBare)
        }
        return answer
    }

    private func updateServerClock(from answer: inout HTTPReply, sentAt: Duration) {
        let now = clock.now()
        let written = answer.dateHeaderTime
        answer.expectedServerTime = serverClock.withLock { serverClock in
            if let written { serverClock.addSample(written, sentAt: sentAt, receivedAt: now) }
            return serverClock.time(at: now)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract
internal import FreshetWire

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Asks the contract's token endpoints: once per call, on a connection of its own, within a deadline.
struct TokenEndpoint: Sendable {
    let contract: Contract
    let baseURL: URL
    /// What the contract's own variables and secrets stand for.
    let values: TemplateValues
    let transport: any HTTPTransport
    let clock: SessionClock
    let deadline: Duration
    /// How long an attempt to refresh may take.
    let refreshDeadline: Duration
    /// What the answers so far told of the server's clock.
    let serverClock = Locked(ServerClockEstimate())
    /// The status of the latest answer to a refresh, for events; `nil` while there is none.
    let refreshStatus = Locked<Int?>(nil)

    init(
        contract: Contract,
        baseURL: URL,
        values: TemplateValues,
        transport: any HTTPTransport,
        clock: SessionClock,
        deadline: Duration,
        patience: Duration = .zero
    ) {
        self.contract = contract
        self.baseURL = baseURL
        self.values = values
        self.transport = transport
        self.clock = clock
        self.deadline = deadline.bounded
        refreshDeadline = contract.refreshDeadline(deadline.bounded, patience: patience.bounded)
    }

    enum RefreshAnswer: Equatable, Sendable {
        case granted(SessionGrant)
        /// The session seems to be over; nothing but a status says so, and anything on the way can answer that.
        case unverifiedEnd(SignOutReason)
        case other(Outcome)
    }

    /// What an attempt to refresh brought by its deadline, and what may come of it later.
    struct RefreshExchange: Sendable {
        var answer: RefreshAnswer
        /// For a backend that may have used up the refresh token, and no answer came yet.
        var late: Task<RefreshAnswer, Never>?
    }

    /// Presents a pair that is durable.
    ///
    /// Where a backend takes a refresh token once, the request goes on beyond the deadline: giving it up would lose the
    /// successor, and the session with it.
    func refresh(_ pair: RefreshCredentials) async -> RefreshExchange {
        guard contract.mayUseUpRefreshTokens(within: deadline) else {
            return RefreshExchange(answer: await refresh(pair, deadline: refreshDeadline))
        }
        let race = FirstResult<RefreshAnswer?>()
        let work = Task {
            let answer = await refresh(pair, deadline: refreshDeadline * 4)
            race.finish(with: answer)
            return answer
        }
        let end = clock.now() + refreshDeadline
        let alarm = Task {
            if (try? await clock.sleep(until: end, for: .limit("of an attempt to refresh"))) != nil {
                race.finish(with: nil)
            }
        }
        defer { alarm.cancel() }
        if let answer = await race.value() { return RefreshExchange(answer: answer) }
        return RefreshExchange(answer: .other(.transient(retryAfter: nil)), late: work)
    }

    private func refresh(_ pair: RefreshCredentials, deadline: Duration) async -> RefreshAnswer {
        let known: [String: String?] = [
            "refresh_token": pair.refreshToken, "access_token": pair.accessToken, "intent": pair.intent,
        ]
        do {
            let answer = try await send(.refresh, TemplateValues(texts: known), on: .refresh, deadline: deadline)
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

    /// Presents a session's tokens to say something about it: `confirm`, `report` or `logout`.
    ///
    /// - Returns: `delivered` as well if the contract has no such call, and there is nobody to tell.
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

    /// Signs in, up or asks for a code.
    func signIn(_ name: EndpointName, _ values: TemplateValues) async throws(Failure) -> HTTPReply {
        try await send(name, values, on: .login)
    }

    /// Calls an endpoint that takes the session's tokens in a place of its own.
    func call(_ name: EndpointName, _ values: TemplateValues) async throws(Failure) -> HTTPReply {
        try await send(name, values, on: .logout)
    }

    /// The request to an endpoint, without an access token in the place where requests of the app have theirs.
    func request(to name: EndpointName, _ known: TemplateValues) throws(ContractFault) -> (URLRequest, Endpoint) {
        guard let endpoint = contract.document.endpoints[name] else {
            throw ContractFault("the contract '\(contract.name)' has no '\(name)'")
        }
        let free = Set(contract.document.variables.keys)
        return (try endpoint.request(to: baseURL, values.merging(known), free: free), endpoint)
    }

    /// Anything but what was asked for.
    struct Failure: Error {
        var outcome: Outcome
        /// The caller was cancelled; the outcome is unknown.
        var isCancellation = false
        /// Nothing but the answer's status says that the session is over.
        var isByStatusAlone = false
    }

    private func send(
        _ name: EndpointName,
        _ known: TemplateValues,
        on channel: Channel,
        deadline: Duration? = nil
    ) async throws(Failure) -> HTTPReply {
        var request: URLRequest
        let endpoint: Endpoint
        do throws(ContractFault) { (request, endpoint) = try self.request(to: name, known) } catch {
            throw Failure(outcome: .misconfigured(error.message))
        }
        if endpoint.attachesAccessToken, let token = known["access_token"]?.text {
            contract.document.requestAuthorization.attach(token, to: &request)
        }
        let deadline = deadline ?? endpoint.timeout.map { .bounded(seconds: $0) } ?? self.deadline
        var answer: HTTPReply
        if channel == .refresh { refreshStatus.withLock { $0 = nil } }
        let sentAt = clock.now()
        do {
            answer = try await withDeadline(sentAt + deadline, on: clock) { [transport, request] in
                let (data, response) = try await transport.exchange(request, deadline: deadline)
                return HTTPReply(data, response)
            }
        } catch {
            switch error {
            case .cancelled: throw Failure(outcome: .transient(retryAfter: nil), isCancellation: true)
            case .failed(let error as URLError) where error.code == .dataLengthExceedsMaximum:
                throw Failure(outcome: .contractViolation("the answer is too large"))
            case .failed, .timedOut: break
            }
            // Whatever a transport calls it, an answer that did not come says nothing.
            throw Failure(outcome: .transient(retryAfter: nil))
        }
        if channel == .refresh { refreshStatus.withLock { [status = answer.status] in $0 = status } }
        updateServerClock(from: &answer, sentAt: sentAt)
        let outcome = contract.classify(answer, on: channel)
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

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
    /// What the answers so far told of the server's clock.
    let serverClock = Locked(ServerClock())
    /// The status of the latest answer to a refresh, for events; `nil` while there is none.
    let refreshStatus = Locked<Int?>(nil)

    enum RefreshAnswer: Equatable, Sendable {
        case granted(SessionGrant)
        /// The session seems to be over; nothing but a status says so, and anything on the way can answer that.
        case doubtfulEnd(SignOutReason)
        case other(Outcome)
    }

    /// Presents a pair that is durable.
    func refresh(_ pair: RefreshPair) async -> RefreshAnswer {
        let known: [String: String?] = [
            "refresh_token": pair.refreshToken, "access_token": pair.accessToken, "intent": pair.intent,
        ]
        do {
            let answer = try await ask(.refresh, TemplateValues(texts: known), on: .refresh)
            return .granted(try contract.grant(from: answer))
        } catch let fault as ContractFault {
            return .other(.contractViolation(fault.message))
        } catch let failure as Failure {
            if failure.isByStatusAlone, case .sessionEnded(let reason) = failure.outcome { return .doubtfulEnd(reason) }
            return .other(failure.outcome)
        } catch {
            return .other(.transient(retryAfter: nil))
        }
    }

    /// Presents a session's tokens to say something about it: `confirm`, `report` or `logout`.
    ///
    /// - Returns: `delivered` as well if the contract has no such call, and there is nobody to tell.
    func present(_ tokens: PresentedTokens, on channel: Channel) async -> Outcome {
        let name: EndpointName =
            switch channel {
            case .confirm: .confirm
            case .report: .report
            default: .logout
            }
        guard contract.document.endpoints[name] != nil else { return .delivered }
        do throws(Failure) {
            _ = try await ask(name, tokens.values, on: channel)
            return .delivered
        } catch {
            return error.outcome
        }
    }

    /// Signs in, up or asks for a code.
    func signIn(_ name: EndpointName, _ values: TemplateValues) async throws(Failure) -> Answer {
        try await ask(name, values, on: .login)
    }

    /// Calls an endpoint that takes the session's tokens in a place of its own.
    func call(_ name: EndpointName, _ values: TemplateValues) async throws(Failure) -> Answer {
        try await ask(name, values, on: .logout)
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

    private func ask(
        _ name: EndpointName,
        _ known: TemplateValues,
        on channel: Channel
    ) async throws(Failure) -> Answer {
        var request: URLRequest
        let endpoint: Endpoint
        do throws(ContractFault) { (request, endpoint) = try self.request(to: name, known) } catch {
            throw Failure(outcome: .misconfigured(error.message))
        }
        if endpoint.attachesAccessToken, let token = known["access_token"]?.text {
            contract.document.attachment.attach(token, to: &request)
        }
        let deadline = endpoint.timeout.map { .seconds($0) } ?? deadline
        var answer: Answer
        if channel == .refresh { refreshStatus.withLock { $0 = nil } }
        let sentAt = clock.now()
        do {
            answer = try await withDeadline(sentAt + deadline, on: clock) { [transport, request] in
                let (data, response) = try await transport.exchange(request, deadline: deadline)
                return Answer(data, response)
            }
        } catch {
            if case .cancelled = error {
                throw Failure(outcome: .transient(retryAfter: nil), isCancellation: true)
            }
            // Whatever a transport calls it, an answer that did not come says nothing.
            throw Failure(outcome: .transient(retryAfter: nil))
        }
        if channel == .refresh { refreshStatus.withLock { [status = answer.status] in $0 = status } }
        learnTime(from: &answer, sentAt: sentAt)
        let outcome = contract.classify(answer, on: channel)
        guard outcome == .delivered else {
            let isBare = channel == .refresh && contract.classifier.endsByStatusAlone(answer)
            throw Failure(outcome: outcome, isByStatusAlone: isBare)
        }
        return answer
    }

    private func learnTime(from answer: inout Answer, sentAt: Duration) {
        let now = clock.now()
        let written = answer.writtenTime
        answer.expectedServerTime = serverClock.withLock { serverClock in
            if let written { serverClock.learn(written, sentAt: sentAt, receivedAt: now) }
            return serverClock.time(at: now)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetWire

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Asks the contract's token endpoints: once per call, on a connection of its own, within a deadline.
struct TokenEndpoint: Sendable {
    let contract: Contract
    let baseURL: URL
    let transport: any HTTPTransport
    let clock: SessionClock
    let deadline: Duration

    enum RefreshAnswer: Equatable, Sendable {
        case granted(SessionGrant)
        case other(Outcome)
    }

    /// Presents a pair that is durable.
    func refresh(_ pair: RefreshPair) async -> RefreshAnswer {
        let request = RefreshRequest(refreshToken: pair.refreshToken, intent: pair.intent)
        do {
            return .granted(try contract.grant(from: try await post(request, to: NativePath.refresh, on: .refresh)))
        } catch let fault as ContractFault {
            return .other(.contractViolation(fault.message))
        } catch let failure as Failure {
            return .other(failure.outcome)
        } catch {
            return .other(.transient(retryAfter: nil))
        }
    }

    /// Presents a refresh token to say something about it: `confirm`, `report` or `logout`.
    func present(_ refreshToken: String, on channel: Channel) async -> Outcome {
        let path =
            switch channel {
            case .confirm: NativePath.confirm
            case .report: NativePath.report
            default: NativePath.logout
            }
        do throws(Failure) {
            _ = try await post(PresentedToken(refreshToken: refreshToken), to: path, on: channel)
            return .delivered
        } catch {
            return error.outcome
        }
    }

    /// Signs in, up or asks for a code.
    ///
    /// - Returns: The body of the answer.
    func signIn(_ request: some Encodable & Sendable, to path: String) async throws(Failure) -> Data {
        try await post(request, to: path, on: .signIn)
    }

    /// Anything but what was asked for.
    struct Failure: Error {
        var outcome: Outcome
        /// The caller was cancelled; the outcome is unknown.
        var isCancellation = false
    }

    private func post(
        _ body: some Encodable & Sendable,
        to path: String,
        on channel: Channel
    ) async throws(Failure) -> Data {
        // Sorted, so that every retry is the same to the last byte.
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let content = try? encoder.encode(body) else {
            throw Failure(outcome: .contractViolation("the request cannot be encoded"))
        }
        var request = URLRequest(url: baseURL.appending(path: path))
        request.httpMethod = "POST"
        request.httpBody = content
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        let answer: Answer
        do {
            answer = try await withDeadline(clock.now() + deadline, on: clock) { [transport, deadline, request] in
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
        let outcome = contract.classify(answer, on: channel)
        guard outcome == .delivered else { throw Failure(outcome: outcome) }
        return answer.body
    }
}

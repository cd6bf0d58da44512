// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetContract

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Sends single requests to a backend and reads the responses by a contract.
///
/// It has no session, never retries, and leaves the interpretation of the results to its caller.
package struct ContractProbe: Sendable {
    package let contract: Contract
    private let endpoint: TokenEndpoint
    private let origins: Set<Origin>
    private let clock: SessionClock

    /// Creates a probe for a backend.
    ///
    /// - Throws: ``SessionError/misconfigured(_:)`` if a token could be sent to a host that must not see it, or if the
    ///   contract needs a value that is missing.
    package init(
        contract: Contract,
        baseURL: URL,
        values: ContractValues,
        transport: any HTTPTransport,
        timeout: Duration,
        clock: SessionClock = .system
    ) throws(SessionError) {
        origins = try Origin.permitted(baseURL, contract)
        self.contract = contract
        self.clock = clock
        endpoint = TokenEndpoint(
            contract: contract,
            baseURL: baseURL,
            values: try values.templateValues(for: contract),
            transport: transport,
            clock: clock,
            attemptTimeout: timeout
        )
    }

    /// The reason that there is no response.
    package enum Failure: Error, Equatable {
        /// The request cannot be created; the text contains no secrets.
        case invalidRequest(String)
        /// The request timed out, or the server cannot be reached.
        case noResponse(SessionError.ConnectionFailure)
        case cancelled
    }

    /// Sends a request to an endpoint of the contract.
    ///
    /// - Parameters:
    ///   - name: The endpoint.
    ///   - known: The values of the names that every contract has.
    ///   - channel: The channel by which the response is classified.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``Failure`` if there is no response.
    package func request(
        _ name: EndpointName,
        _ known: TemplateValues,
        on channel: ClassificationRule.Channel
    ) async throws(Failure) -> ProbeReply {
        var request: URLRequest
        let described: Endpoint
        do throws(ContractFault) { (request, described) = try endpoint.request(to: name, known) } catch {
            throw .invalidRequest(error.message)
        }
        if described.attachesAccessToken, let token = known["access_token"]?.text {
            try attach(token, to: &request)
        }
        return try await send(request, on: channel, described.timeout.map { .seconds($0) })
    }

    /// Sends a request with an access token, as the app would.
    package func call(_ method: String, _ address: URL, accessToken: String) async throws(Failure) -> ProbeReply {
        guard let origin = Origin(address), origins.contains(origin) else {
            throw .invalidRequest("\(address.absoluteString) is on a host that must not receive the access token")
        }
        var request = URLRequest(url: address)
        request.httpMethod = method
        // The request uses a token endpoint's connection, so that the transport does not retry it.
        if method != "GET", method != "HEAD" { request.httpBody = Data() }
        request.setHeader("application/json", for: "Accept")
        try attach(accessToken, to: &request)
        return try await send(request, on: .api, nil)
    }

    private func attach(_ token: String, to request: inout URLRequest) throws(Failure) {
        do throws(MissingValue) {
            try contract.document.requestAuthorization.attach(token, endpoint.values, to: &request)
        } catch {
            throw .invalidRequest("there is no value for '\(error.name)'")
        }
    }

    private func send(
        _ request: URLRequest,
        on channel: ClassificationRule.Channel,
        _ timeout: Duration?
    ) async throws(Failure) -> ProbeReply {
        let timeout = timeout ?? endpoint.attemptTimeout
        let before = clock.wall()
        do throws(DeadlineFailure) {
            let answer = try await withDeadline(clock.now() + timeout, on: clock) { [endpoint] in
                let (data, response) = try await endpoint.transport.exchange(request, deadline: timeout)
                return HTTPReply(data, response)
            }
            return ProbeReply(answer, contract, channel, from: before, to: clock.wall())
        } catch {
            switch error {
            case .cancelled: throw .cancelled
            case .timedOut: throw .noResponse(.timedOut)
            case .failed(let error): throw .noResponse(SessionError.ConnectionFailure(error))
            }
        }
    }
}

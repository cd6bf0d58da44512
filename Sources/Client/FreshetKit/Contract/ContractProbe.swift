// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetContract

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A backend asked one request at a time, with a contract's own requests and readings.
///
/// It keeps no session, repeats nothing and draws no conclusion: that is for whoever looks at what came.
package struct ContractProbe: Sendable {
    package let contract: Contract
    private let endpoint: TokenEndpoint
    private let origins: Set<Origin>
    private let clock: SessionClock

    /// - Throws: ``SessionError/contractFault(_:)`` if a token would go where it must not, or if the contract needs a
    ///   value that is not there.
    package init(
        contract: Contract,
        baseURL: URL,
        values: ContractValues,
        transport: any HTTPTransport,
        deadline: Duration,
        clock: SessionClock = .system
    ) throws(SessionError) {
        origins = try Origin.permitted(baseURL, contract, SessionConfiguration())
        self.contract = contract
        self.clock = clock
        endpoint = TokenEndpoint(
            contract: contract,
            baseURL: baseURL,
            values: try values.templateValues(for: contract),
            transport: transport,
            clock: clock,
            deadline: deadline
        )
    }

    /// Why there is no answer to look at.
    package enum Failure: Error, Equatable {
        /// The request cannot be made; the text holds no secret.
        case invalidRequest(String)
        /// Nothing came in time, or nobody listens.
        case noResponse
        case cancelled
    }

    /// Asks an endpoint of the contract.
    ///
    /// - Parameters:
    ///   - name: Which one.
    ///   - known: What stands for the names that every contract knows.
    ///   - channel: How the answer is read.
    /// - Returns: The answer, whatever its status.
    /// - Throws: ``Failure`` if there is none.
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

    /// Sends a request as the app would, with an access token.
    package func call(_ method: String, _ address: URL, accessToken: String) async throws(Failure) -> ProbeReply {
        guard let origin = Origin(address), origins.contains(origin) else {
            throw .invalidRequest("\(address.absoluteString) is on a host that may not see the access token")
        }
        var request = URLRequest(url: address)
        request.httpMethod = method
        // A token endpoint's connection is used, so that nothing repeats the request unseen.
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
        let deadline = timeout ?? endpoint.deadline
        let before = clock.wall()
        do throws(DeadlineFailure) {
            let answer = try await withDeadline(clock.now() + deadline, on: clock) { [endpoint] in
                let (data, response) = try await endpoint.transport.exchange(request, deadline: deadline)
                return HTTPReply(data, response)
            }
            return ProbeReply(answer, contract, channel, from: before, to: clock.wall())
        } catch {
            if case .cancelled = error { throw .cancelled }
            throw .noResponse
        }
    }
}

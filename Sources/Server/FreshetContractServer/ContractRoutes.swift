// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetEngine
package import FreshetHTTP
import FreshetWire
import HTTPTypes
import Hummingbird

/// The routes of one contract, under its prefix.
package struct ContractRoutes: Sendable {
    /// One endpoint of the contract.
    private struct Call: Sendable {
        var name: EndpointName
        var endpoint: Endpoint
        /// Whether it is an alternative form, which the contract's own client does not use.
        var isAlternative = false
    }

    let contract: ServedContract
    let actions: ContractActions
    let bodyLimit: Int

    package init(contract: ServedContract, actions: ContractActions, bodyLimit: Int) {
        self.contract = contract
        self.actions = actions
        self.bodyLimit = bodyLimit
    }

    package func add(to table: inout RouteTable, _ map: inout RouteRegistry) throws(ServedContractError) {
        try contract.claimRoutes(in: &map)
        let answers = ContractResponses(contract.document)
        var calls: [RouteRegistry.Place: [Call]] = [:]
        for (name, endpoint) in contract.document.endpoints.sorted(by: { $0.key.text < $1.key.text }) {
            let place = try contract.place(of: endpoint, name)
            calls[place, default: []].append(Call(name: name, endpoint: endpoint))
            for other in contract.document.server?.alternatives[name] ?? [] {
                calls[place, default: []].append(Call(name: name, endpoint: other, isAlternative: true))
            }
        }
        for (place, calls) in calls.sorted(by: { $0.key < $1.key }) {
            table.on(place.method, place.pattern.path) { try await answer($0, $1, calls, answers) }
        }
        for resource in contract.document.server?.resources ?? [] {
            let place = try contract.place(of: resource)
            table.on(place.method, place.pattern.path) { try await answer($0, $1, resource, answers) }
        }
    }

    /// Returns the policy of the contract's socket endpoint, if it has one.
    package func socketPolicy() throws(ServedContractError) -> SocketEndpointPolicy? {
        guard let shape = contract.document.socket else { return nil }
        return SocketEndpointPolicy(shape, of: contract.document, at: try contract.place(of: shape).pattern)
    }

    /// Adds the route for requests to a socket's path that are not WebSocket upgrades.
    package func add(_ endpoint: SocketEndpoint, to table: inout RouteTable) {
        SocketRoutes(endpoint: endpoint).add(to: &table, ContractResponses(contract.document))
    }

    /// Responds to a request; several endpoints with the same path are distinguished by their constants.
    private func answer(
        _ request: Request,
        _ context: ServerRequestContext,
        _ calls: [Call],
        _ answers: ContractResponses
    ) async throws -> Response {
        var name = Set(calls.map(\.name)).count == 1 ? calls.first?.name : nil
        do {
            let taken = try await ContractRequest(request, context, for: calls.map(\.endpoint), limit: bodyLimit)
            guard let call = try call(for: taken, among: calls) else {
                throw APIError(.invalidRequest, "no request of this contract looks like this one")
            }
            name = call.name
            let given = try taken.values(call.endpoint)
            let values = try await actions.perform(call.name, given, taken, needs: answers.names(at: call.name))
            return try answers.reply(to: call.name, values)
        } catch let error as APIError {
            guard let refusal = answers.refusal(error, at: name, context.id) else { throw error }
            return refusal
        }
    }

    /// Returns the endpoint of a request: the first endpoint with matching constants for which the request is complete.
    private func call(for request: ContractRequest, among calls: [Call]) throws(APIError) -> Call? {
        guard calls.count > 1 else { return calls.first }
        var first: Call?
        for call in calls {
            guard try request.hasConstants(of: call.endpoint, allowsBody: call.isAlternative) else { continue }
            if ServedContract.isComplete(call.name, call.endpoint, try request.values(call.endpoint)) { return call }
            first = first ?? call
        }
        return first
    }

    private func answer(
        _ request: Request,
        _ context: ServerRequestContext,
        _ resource: ServerDefinition.Resource,
        _ answers: ContractResponses
    ) async throws -> Response {
        do {
            let forms = [resource.form].compactMap(\.self)
            let taken = try await ContractRequest(request, context, for: forms, limit: bodyLimit)
            let claims = try actions.claims(taken, TemplateValues())
            if let profile = resource.profile { try await actions.setProfile(taken.values(inBody: profile), taken) }
            return try answers.response(resource.reply, try await actions.values(claims, resource.reply.names))
        } catch let error as APIError {
            guard let refusal = answers.refusal(error, at: nil, context.id) else { throw error }
            return refusal
        }
    }
}

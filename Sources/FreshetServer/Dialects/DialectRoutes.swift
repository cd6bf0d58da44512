// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetEngine
import FreshetWire
import HTTPTypes
import Hummingbird

/// The routes of one dialect, under its prefix.
struct DialectRoutes: Sendable {
    /// One call of the contract.
    private struct Call: Sendable {
        var name: EndpointName
        var endpoint: Endpoint
        /// Whether it is one of the forms that the contract's own client does not use.
        var isAlternative = false
    }

    let dialect: Dialect
    let actions: DialectActions
    let bodyLimit: Int

    func add(to table: inout RouteTable, _ map: inout RouteMap) throws(StartupError) {
        let answers = DialectAnswers(dialect.contract)
        var calls: [RouteMap.Place: [Call]] = [:]
        for (name, endpoint) in dialect.contract.endpoints.sorted(by: { $0.key.text < $1.key.text }) {
            let place = try place(endpoint.method, endpoint.path, "the request '\(name)'")
            calls[place, default: []].append(Call(name: name, endpoint: endpoint))
            for other in dialect.contract.server?.alternatives[name] ?? [] {
                calls[place, default: []].append(Call(name: name, endpoint: other, isAlternative: true))
            }
        }
        for (place, calls) in calls.sorted(by: { $0.key < $1.key }) {
            try map.claim(place, for: dialect)
            table.on(place.method, place.pattern.path) { try await answer($0, $1, calls, answers) }
        }
        for resource in dialect.contract.server?.resources ?? [] {
            let path: Template
            do throws(Template.Fault) { path = try Template(resource.path) } catch {
                throw .dialect("'\(resource.path)' in '\(dialect.name)' is no path: \(error.sentence)")
            }
            let place = try place(resource.method, path, "the resource \(resource.path)")
            try map.claim(place, for: dialect)
            table.on(place.method, place.pattern.path) { try await answer($0, $1, resource, answers) }
        }
    }

    /// The terms of the contract's socket, if it has one.
    func socketTerms() throws(StartupError) -> SocketTerms? {
        guard let shape = dialect.contract.socket else { return nil }
        let place = try place("GET", shape.path, "the socket")
        return SocketTerms(shape, of: dialect.contract, at: place.pattern)
    }

    /// Adds what stands at a socket's path for those who open none.
    func add(_ door: SocketDoor, to table: inout RouteTable, _ map: inout RouteMap) throws(StartupError) {
        try map.claim(RouteMap.Place(method: .get, pattern: door.terms.pattern), for: dialect)
        SocketRoutes(door: door).add(to: &table, DialectAnswers(dialect.contract))
    }

    private func place(_ method: String, _ path: Template, _ what: String) throws(StartupError) -> RouteMap.Place {
        let constants = dialect.contract.variables.compactMapValues(\.defaultValue)
        guard let method = HTTPRequest.Method(method),
            let pattern = RoutePattern(path, prefix: dialect.prefix, constants: constants)
        else { throw .dialect("\(what) of '\(dialect.name)' has a path that this server cannot tell apart") }
        return RouteMap.Place(method: method, pattern: pattern)
    }

    /// Answers a call; several at one place are told apart by what they always send.
    private func answer(
        _ request: Request,
        _ context: ServerRequestContext,
        _ calls: [Call],
        _ answers: DialectAnswers
    ) async throws -> Response {
        var name = Set(calls.map(\.name)).count == 1 ? calls.first?.name : nil
        do {
            let taken = try await DialectRequest(request, context, for: calls.map(\.endpoint), limit: bodyLimit)
            guard let call = try call(for: taken, among: calls) else {
                throw APIError(.invalidRequest, "no request of this contract looks like this one")
            }
            name = call.name
            let given = try taken.values(call.endpoint)
            let values = try await actions.act(call.name, given, taken, needs: answers.names(at: call.name))
            return try answers.reply(to: call.name, values)
        } catch let error as APIError {
            guard let refusal = answers.refusal(error, at: name, context.id) else { throw error }
            return refusal
        }
    }

    /// The call that a request is: of those whose constants it has, the first of which it brings what is needed.
    private func call(for request: DialectRequest, among calls: [Call]) throws(APIError) -> Call? {
        guard calls.count > 1 else { return calls.first }
        var first: Call?
        for call in calls {
            guard try request.hasConstants(of: call.endpoint, allowsBody: call.isAlternative) else { continue }
            if Dialect.isComplete(call.name, call.endpoint, try request.values(call.endpoint)) { return call }
            first = first ?? call
        }
        return first
    }

    private func answer(
        _ request: Request,
        _ context: ServerRequestContext,
        _ resource: ServerShape.Resource,
        _ answers: DialectAnswers
    ) async throws -> Response {
        do {
            let forms = [resource.form].compactMap(\.self)
            let taken = try await DialectRequest(request, context, for: forms, limit: bodyLimit)
            let claims = try actions.claims(taken, TemplateValues())
            if let profile = resource.profile { try await actions.setProfile(taken.values(inBody: profile), taken) }
            return try answers.response(resource.reply, try await actions.values(claims, resource.reply.names))
        } catch let error as APIError {
            guard let refusal = answers.refusal(error, at: nil, context.id) else { throw error }
            return refusal
        }
    }
}

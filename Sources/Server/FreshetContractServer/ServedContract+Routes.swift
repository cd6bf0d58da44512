// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetHTTP
import FreshetWire
import HTTPTypes

extension ServedContract {
    /// Registers the methods and paths of its requests, resources and socket.
    ///
    /// - Throws: An error if a path cannot be matched, or can match a route of another owner.
    package func claimRoutes(in registry: inout RouteRegistry) throws(ServedContractError) {
        // Several requests can share a place: their constants distinguish them.
        var requests: Set<RouteRegistry.Place> = []
        for (name, endpoint) in document.endpoints.sorted(by: { $0.key.text < $1.key.text }) {
            requests.insert(try place(of: endpoint, name))
        }
        for place in requests.sorted() { try registry.claim(place, for: self) }
        for resource in document.server?.resources ?? [] { try registry.claim(try place(of: resource), for: self) }
        if let socket = document.socket { try registry.claim(try place(of: socket), for: self) }
    }

    func place(of endpoint: Endpoint, _ name: EndpointName) throws(ServedContractError) -> RouteRegistry.Place {
        try place(endpoint.method, endpoint.path, "the request '\(name)'")
    }

    func place(of resource: ServerDefinition.Resource) throws(ServedContractError) -> RouteRegistry.Place {
        let path: Template
        do throws(Template.Fault) { path = try Template(resource.path) } catch {
            throw ServedContractError("'\(resource.path)' in '\(name)' is no path: \(error.sentence)")
        }
        return try place(resource.method, path, "the resource \(resource.path)")
    }

    func place(of socket: SocketDefinition) throws(ServedContractError) -> RouteRegistry.Place {
        try place("GET", socket.path, "the socket")
    }

    private func place(_ method: String, _ path: Template, _ what: String) throws(ServedContractError)
        -> RouteRegistry.Place
    {
        let constants = document.variables.compactMapValues(\.defaultValue)
        guard let method = HTTPRequest.Method(method),
            let pattern = RoutePattern(path, prefix: prefix, constants: constants)
        else {
            throw ServedContractError(
                "\(what) of '\(name)' has a path that the router cannot match, or an invalid method"
            )
        }
        return RouteRegistry.Place(method: method, pattern: pattern)
    }
}

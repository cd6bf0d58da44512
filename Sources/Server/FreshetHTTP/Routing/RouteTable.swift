// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
package import HTTPTypes
package import Hummingbird

/// The routes of the server.
///
/// It knows all methods of a path, so that a wrong one is told apart from a wrong path.
package struct RouteTable {
    package typealias Handler = @Sendable (Request, ServerRequestContext) async throws -> Response

    private var handlers: [String: [HTTPRequest.Method: Handler]] = [:]
    /// The paths that are for people.
    private(set) var pages: Set<String> = []

    package init(pages: Set<String> = []) {
        self.pages = pages
    }

    package mutating func on(_ method: HTTPRequest.Method, _ path: String, _ handler: @escaping Handler) {
        handlers[path, default: [:]][method] = handler
    }

    /// As ``on(_:_:_:)``, for a page: no program's business, so no description for programs has it.
    package mutating func page(_ method: HTTPRequest.Method, _ path: String, _ handler: @escaping Handler) {
        on(method, path, handler)
        pages.insert(path)
    }

    /// Every method and path.
    package var routes: [(method: HTTPRequest.Method, path: String)] {
        handlers.flatMap { path, methods in methods.keys.map { ($0, path) } }
    }

    /// Adds everything to `router`: HEAD where there is GET, and a 405 for each method that a path does not have.
    package func mount(on router: Router<ServerRequestContext>) {
        var all: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options, .trace, .connect]
        // Safe as GET is, and with a body.
        if let query = HTTPRequest.Method(rawValue: "QUERY") { all.append(query) }
        for (path, var methods) in handlers {
            // The answer is that of GET; ErrorMiddleware takes the body away.
            methods[.head] = methods[.head] ?? methods[.get]
            for (method, handler) in methods {
                router.on(RouterPath(path), method: method) { try await handler($0, $1) }
            }
            var error = APIError(.methodNotAllowed, "this path has other methods")
            error.allow = methods.keys.map(\.rawValue).sorted()
            let refusal = error
            for method in all where !error.allow.contains(method.rawValue) {
                router.on(RouterPath(path), method: method) { _, _ -> Response in throw refusal }
            }
        }
    }
}

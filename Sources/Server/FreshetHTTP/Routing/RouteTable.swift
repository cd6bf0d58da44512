// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import HTTPTypes
package import Hummingbird

/// The routes of the server.
///
/// It knows all methods of each path, so that a wrong method is distinguished from a wrong path.
package struct RouteTable {
    package typealias Handler = @Sendable (Request, ServerRequestContext) async throws -> Response

    private var handlers: [String: [HTTPRequest.Method: Handler]] = [:]
    /// The paths of pages for browsers.
    private(set) var pages: Set<String> = []

    package init(pages: Set<String> = []) {
        self.pages = pages
    }

    package mutating func on(_ method: HTTPRequest.Method, _ path: String, _ handler: @escaping Handler) {
        handlers[path, default: [:]][method] = handler
    }

    /// Adds a route for a page, like ``on(_:_:_:)``; API descriptions omit it.
    package mutating func page(_ method: HTTPRequest.Method, _ path: String, _ handler: @escaping Handler) {
        on(method, path, handler)
        pages.insert(path)
    }

    /// Every method and path.
    package var routes: [(method: HTTPRequest.Method, path: String)] {
        handlers.flatMap { path, methods in methods.keys.map { ($0, path) } }
    }

    /// Mounts all routes on `router`, with HEAD for each GET, and a 405 for every other method.
    package func mount(on router: Router<ServerRequestContext>) {
        var allowed: [(path: String, methods: [String])] = []
        for (text, var methods) in handlers {
            let path = RouterPath(text)
            // HEAD runs the handler of GET; RequestEnvelopeMiddleware removes the body.
            methods[.head] = methods[.head] ?? methods[.get]
            for (method, handler) in methods {
                router.on(path, method: method) { try await handler($0, $1) }
            }
            allowed.append((text, methods.keys.map(\.rawValue).sorted()))
        }
        // Middleware that is added after the routes applies only to requests that match no route.
        router.add(middleware: MethodNotAllowedMiddleware(allowed))
    }
}

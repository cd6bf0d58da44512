// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers
import NIOCore

/// Answers 405 to requests that match a route's path but none of its methods.
///
/// It is for the requests that no route matches. A route for each method that a path does not have would be five times as
/// many routes, and each costs time and memory at the server's start.
struct MethodNotAllowedMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    private static let methods: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT",
        // It is safe, like GET, and has a body.
        "QUERY",
    ]

    private let paths: [(path: String, methods: [String])]
    /// Finds the methods of a path; created by the first request that needs it.
    private let responder = NIOLockedValueBox<RouterResponder<ServerRequestContext>?>(nil)

    /// - Parameter paths: The routes' paths, in the router's order, and the methods of each.
    init(_ paths: [(path: String, methods: [String])]) { self.paths = paths }

    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        guard Self.methods.contains(request.method.rawValue) else { return try await next(request, context) }
        var head = request.head
        head.method = .get
        // It throws the error of the path, or sets the route to that of an unknown path.
        _ = try await finder.respond(to: Request(head: head, body: RequestBody(buffer: ByteBuffer())), context: context)
        return try await next(request, context)
    }

    /// A router that throws the error of each path, and answers 404 for all others.
    private var finder: RouterResponder<ServerRequestContext> {
        responder.withLockedValue { responder in
            if let responder { return responder }
            let router = Router(context: ServerRequestContext.self)
            for (path, methods) in paths {
                var error = APIError(.methodNotAllowed, "this path has other methods")
                error.allow = methods
                let refusal = error
                router.on(RouterPath(path), method: .get) { _, _ -> Response in throw refusal }
            }
            let new = router.buildResponder()
            responder = new
            return new
        }
    }
}

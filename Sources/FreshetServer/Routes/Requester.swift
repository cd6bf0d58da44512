// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import HTTPTypes
import Hummingbird

/// Who asks, as far as a request shows.
struct Requester: Equatable, Sendable {
    /// Where it comes from; `nil` for a connection that has no address.
    var source: SourceAddress?
    /// What the client says of itself, on one line.
    var userAgent: String?
    /// Finds the request in the log.
    var requestID = ""

    /// The source as the user's list of sessions shows it.
    var place: String? { source?.place }
}

/// Finds out who asks, before any route does.
struct RequesterReading: RouterMiddleware {
    typealias Context = ServerRequestContext

    /// The operator's own proxies, which are believed.
    let proxies: [AddressRange]

    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.requester = Requester(
            source: .source(of: request, peer: context.peer, proxies: proxies),
            userAgent: request.headers[.userAgent].map { String($0.prefix(200)) },
            requestID: context.id
        )
        return try await next(request, context)
    }
}

extension SourceAddress {
    /// Where a request comes from: its peer, or whoever a trusted proxy says that it asks for.
    static func source(of request: Request, peer: SourceAddress?, proxies: [AddressRange]) -> SourceAddress? {
        let forwarded = HTTPField.Name("X-Forwarded-For").map { request.headers[values: $0] } ?? []
        return source(peer: peer, forwarded: forwarded, proxies: proxies)
    }
}

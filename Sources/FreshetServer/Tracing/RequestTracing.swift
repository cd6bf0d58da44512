// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import HTTPTypes
import Hummingbird

/// Names every request, finds out who asks, counts it, and writes its names into the answer.
struct RequestTracing: RouterMiddleware {
    typealias Context = ServerRequestContext

    let trustsRequestID: Bool
    /// `Strict-Transport-Security`, if the server speaks TLS itself (RFC 6797).
    let strictTransport: String?
    /// The operator's own proxies, which are believed.
    let proxies: [AddressRange]
    let metrics: ServerMetrics

    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        let source = SourceAddress.source(of: request, peer: context.peer, proxies: proxies)
        let trace = RequestTrace(
            request.headers,
            ownID: context.id,
            source: source,
            trustsID: trustsRequestID
        )
        var named = context
        named.trace = trace
        named.requester = Requester(
            source: source,
            userAgent: request.headers[.userAgent].map { String($0.prefix(200)) },
            requestID: trace.id
        )
        let start = ContinuousClock.now
        let inner = named
        var response = try await RequestTrace.$current.withValue(trace) { try await next(request, inner) }
        metrics.answered(
            route: inner.endpointPath,
            status: response.status.code,
            in: ContinuousClock.now - start
        )
        response.headers[.requestID] = trace.id
        if let own = trace.trace { response.headers[.traceParent] = own.description }
        if let strictTransport { response.headers[.strictTransportSecurity] = strictTransport }
        return response
    }
}

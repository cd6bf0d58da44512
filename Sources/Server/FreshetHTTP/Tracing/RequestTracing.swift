// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
import FreshetIdentity
import FreshetWire
package import HTTPTypes
import Hummingbird

/// Names every request, finds out who asks, counts it, and writes its names into the answer.
package struct RequestTracing: RouterMiddleware {
    typealias Context = ServerRequestContext

    package let trustsRequestID: Bool
    /// `Strict-Transport-Security`, if the server speaks TLS itself (RFC 6797).
    package var strictTransport: String?
    /// The operator's own proxies, which are believed.
    package let proxies: [AddressRange]
    package let metrics: RequestMetrics

    package init(
        trustsRequestID: Bool,
        strictTransport: String? = nil,
        proxies: [AddressRange],
        metrics: RequestMetrics
    ) {
        self.trustsRequestID = trustsRequestID
        self.strictTransport = strictTransport
        self.proxies = proxies
        self.metrics = metrics
    }

    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        let opened = open(request.headers, ownID: context.id, peer: context.peer)
        var named = context
        named.trace = opened.trace
        named.requester = Requester(
            source: opened.trace.source,
            userAgent: request.headers[.userAgent].map { String($0.prefix(200)) },
            requestID: opened.trace.id
        )
        let inner = named
        var response = try await RequestTrace.$current.withValue(opened.trace) { try await next(request, inner) }
        close(opened, &response.headers, route: inner.endpointPath, status: response.status.code)
        return response
    }

    /// A request under way.
    package struct ActiveRequest: Sendable {
        let trace: RequestTrace
        fileprivate let start = ContinuousClock.now
    }

    /// Names a request, and finds out where it comes from.
    package func open(_ fields: HTTPFields, ownID: String, peer: SourceAddress?) -> ActiveRequest {
        let source = SourceAddress.source(of: fields, peer: peer, proxies: proxies)
        return ActiveRequest(trace: RequestTrace(fields, ownID: ownID, source: source, trustsID: trustsRequestID))
    }

    /// Counts an answer, and writes the request's names into it.
    package func close(_ opened: ActiveRequest, _ fields: inout HTTPFields, route: String?, status: Int) {
        close(opened, route: route, status: status)
        fields[.requestID] = opened.trace.id
        addTraceHeaders(opened, &fields)
    }

    /// Counts an answer.
    package func close(_ opened: ActiveRequest, route: String?, status: Int) {
        metrics.recordResponse(route: route, status: status, in: ContinuousClock.now - opened.start)
    }

    /// Writes what most answers do not have: the request's part of a trace, and what TLS asks for.
    func addTraceHeaders(_ opened: ActiveRequest, _ fields: inout HTTPFields) {
        if let own = opened.trace.trace { fields[.traceParent] = own.description }
        if let strictTransport { fields[.strictTransportSecurity] = strictTransport }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
import FreshetIdentity
import FreshetWire
import HTTPTypes
import Hummingbird

/// Identifies every request and its client, counts it, and adds its ID to the response.
package struct RequestTracing: RouterMiddleware {
    typealias Context = ServerRequestContext

    let trustsRequestID: Bool
    /// `Strict-Transport-Security`, if the server terminates TLS itself (RFC 6797).
    package var strictTransport: String?
    /// The operator's trusted proxies.
    let proxies: [AddressRange]
    let metrics: RequestMetrics

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

    /// A request in progress.
    struct ActiveRequest: Sendable {
        let trace: RequestTrace
        fileprivate let start = ContinuousClock.now
    }

    /// Determines a request's identifiers and its source address.
    func open(_ fields: HTTPFields, ownID: String, peer: SourceAddress?) -> ActiveRequest {
        let source = SourceAddress.source(of: fields, peer: peer, proxies: proxies)
        return ActiveRequest(trace: RequestTrace(fields, ownID: ownID, source: source, trustsID: trustsRequestID))
    }

    /// Counts a response, and adds the request's identifiers to it.
    func close(_ opened: ActiveRequest, _ fields: inout HTTPFields, route: String?, status: Int) {
        close(opened, route: route, status: status)
        fields[.requestID] = opened.trace.id
        addTraceHeaders(opened, &fields)
    }

    /// Counts a response.
    func close(_ opened: ActiveRequest, route: String?, status: Int) {
        metrics.recordResponse(route: route, status: status, in: ContinuousClock.now - opened.start)
    }

    /// Adds header fields that most responses lack: `traceparent` and `Strict-Transport-Security`.
    func addTraceHeaders(_ opened: ActiveRequest, _ fields: inout HTTPFields) {
        if let own = opened.trace.trace { fields[.traceParent] = own.description }
        if let strictTransport { fields[.strictTransportSecurity] = strictTransport }
    }
}

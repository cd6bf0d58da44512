// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
package import FreshetEngine
import FreshetIdentity
import FreshetMetrics
import FreshetWire
import HTTPTypes
import Hummingbird
package import Logging

/// Handles the parts of every request that do not depend on its route: ID and trace, admission, errors, log and
/// metrics.
///
/// The router (``RequestEnvelopeMiddleware``) and the fast path (``FastPathResponder``) call it in the same order, so
/// that it applies to all requests: of HTTP/1.1 and HTTP/2, to native endpoints, OAuth, pages and served contracts.
///
/// 1. ``begin(_:_:_:ownID:peer:)`` identifies the request and its client.
/// 2. ``admit(_:)`` refuses it if the server has reached its limits.
/// 3. ``apiError(_:of:)`` converts an error of the route to the error for the client.
/// 4. ``end(_:route:status:fields:)`` logs and counts the response, and completes its header fields.
package struct RequestEnvelope: Sendable {
    /// Whether the ID of a request is taken from its header fields.
    let trustsRequestID: Bool
    /// The operator's trusted proxies.
    let proxies: [AddressRange]
    /// The value of `Strict-Transport-Security` (RFC 6797); `nil` unless the listener terminates TLS.
    package var strictTransport: String?
    package var admission: AdmissionController
    let metrics: RequestMetrics
    let log: Logger

    package init(
        trustsRequestID: Bool,
        proxies: [AddressRange],
        strictTransport: String? = nil,
        admission: AdmissionController,
        metrics: RequestMetrics,
        log: Logger
    ) {
        self.trustsRequestID = trustsRequestID
        self.proxies = proxies
        self.strictTransport = strictTransport
        self.admission = admission
        self.metrics = metrics
        self.log = log
    }

    /// Determines a request's identifiers and its source address.
    ///
    /// - Parameters:
    ///   - method: The request's method.
    ///   - path: The path without the query.
    ///   - fields: The header fields.
    ///   - ownID: The request's ID, unless a trusted proxy gave it one.
    ///   - peer: The address of the connection's peer.
    /// - Returns: The request, which is not admitted yet.
    func begin(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ fields: HTTPFields,
        ownID: String,
        peer: SourceAddress?
    ) -> ActiveRequest {
        let source = SourceAddress.source(of: fields, peer: peer, proxies: proxies)
        let trace = RequestTrace(fields, ownID: ownID, source: source, trustsID: trustsRequestID)
        return ActiveRequest(method: method, path: path, trace: trace)
    }

    /// Admits a request within the server's limits; liveness checks are always admitted.
    ///
    /// - Throws: `unavailable` if a limit is reached.
    func admit(_ request: inout ActiveRequest) throws(APIError) {
        if request.path == NativePath.live { return }
        try admission.beginRequest()
        request.isAdmitted = true
    }

    /// Completes a request, before its response is written.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - route: The path as it was registered; `nil` if the request reached no route.
    ///   - status: The status of the response.
    ///   - fields: The header fields of the response, to which the request's identifiers are added.
    func end(_ request: ActiveRequest, route: String?, status: HTTPResponse.Status, fields: inout HTTPFields) {
        if request.isAdmitted { admission.endRequest() }
        fields[.requestID] = request.id
        if let own = request.trace.trace { fields[.traceParent] = own.description }
        if let strictTransport { fields[.strictTransportSecurity] = strictTransport }
        log.debug(
            "request",
            metadata: [
                "method": "\(request.method)", "path": "\(request.path)", "status": "\(status.code)",
                "request_id": "\(request.id)",
            ]
        )
        metrics.recordResponse(route: route, status: status.code, in: ContinuousClock.now - request.start)
    }
}

// MARK: - Errors

extension RequestEnvelope {
    /// Returns the error for the client, and logs the details that the client must not see.
    func apiError(_ error: any Error, of request: ActiveRequest) -> APIError {
        switch error {
        case let error as APIError:
            return error
        case let error as any APIErrorConvertible:
            return error.apiError
        case let error as HTTPError where error.status == .notFound:
            return APIError(.notFound, "no such path")
        case let error as HTTPError where error.status == .contentTooLarge:
            return APIError(.contentTooLarge, "the body is too large")
        case let error as SQLError where error.kind == .transient:
            metrics.metrics.count("freshet_database_errors_total")
            log.error("database", error: error, metadata: ["request_id": "\(request.id)"])
            return APIError(.unavailable, "try again", retryAfter: .seconds(1))
        default:
            metrics.metrics.count("freshet_unexpected_errors_total")
            log.error(
                "unexpected",
                error: error,
                metadata: ["request_id": "\(request.id)", "path": "\(request.path)"]
            )
            return APIError(.serverError)
        }
    }
}

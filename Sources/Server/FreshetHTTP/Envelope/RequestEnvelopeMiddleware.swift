// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetIdentity
import HTTPTypes
import Hummingbird

/// Applies the ``RequestEnvelope`` to the requests of a router, and renders errors as JSON or as pages.
///
/// It must be the only middleware of the routes: another one would not apply to the fast path.
package struct RequestEnvelopeMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    let envelope: RequestEnvelope
    /// The error pages for browsers.
    let pages: [ErrorPage]

    package init(_ envelope: RequestEnvelope, pages: [ErrorPage]) {
        self.envelope = envelope
        self.pages = pages
    }

    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        let active = envelope.begin(
            request.method,
            request.uri.path,
            request.headers,
            ownID: context.id,
            peer: context.peer
        )
        var inner = context
        inner.trace = active.trace
        inner.requester = Requester(
            source: active.trace.source,
            userAgent: request.headers[.userAgent].map { String($0.prefix(200)) },
            requestID: active.id
        )
        let identified = inner
        return await RequestTrace.$current.withValue(active.trace) {
            await respond(to: request, active, identified, next)
        }
    }

    private func respond(
        to request: Request,
        _ active: ActiveRequest,
        _ context: Context,
        _ next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async -> Response {
        var active = active
        var response: Response
        do {
            try envelope.admit(&active)
            response = try await next(request, context)
        } catch {
            let answer = envelope.apiError(error, of: active)
            let page = pages.first { $0.contains(active.path) }
            response = page?.response(error, answer, request, context) ?? Response.error(answer, requestID: active.id)
        }
        // RFC 9110 section 9.3.2: the same fields, and never a body.
        if request.method == .head { response = response.createHeadResponse() }
        envelope.end(active, route: context.endpointPath, status: response.status, fields: &response.headers)
        return response
    }
}

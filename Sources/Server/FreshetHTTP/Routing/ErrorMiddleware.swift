// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetDatabase
import FreshetEngine
package import FreshetMetrics
import FreshetWire
import HTTPTypes
import Hummingbird
package import Logging

/// Converts errors of routes to the JSON error body or an error page, without internal details.
package struct ErrorMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    let log: Logger
    let metrics: ServerMetrics
    /// The error pages for browsers.
    var pages: [ErrorPage] = []

    package init(log: Logger, metrics: ServerMetrics, pages: [ErrorPage] = []) {
        self.log = log
        self.metrics = metrics
        self.pages = pages
    }

    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do { response = try await next(request, context) } catch {
            let answer = apiError(error, path: request.uri.path, requestID: context.id)
            let page = pages.first { $0.contains(request.uri.path) }
            response =
                page?.response(error, answer, request, context) ?? Response.error(answer, requestID: context.id)
        }
        // RFC 9110 section 9.3.2: the same fields, and never a body.
        if request.method == .head { response = response.createHeadResponse() }
        logResponse(request.method, request.uri.path, response.status, requestID: context.id)
        return response
    }

    /// Logs a response by its path only, because a query may contain secrets.
    func logResponse(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ status: HTTPResponse.Status,
        requestID: String
    ) {
        log.debug(
            "request",
            metadata: [
                "method": "\(method)", "path": "\(path)", "status": "\(status.code)", "request_id": "\(requestID)",
            ]
        )
    }

    /// Returns the error for the client, and logs the details that the client must not see.
    func apiError(_ error: any Error, path: String, requestID: String) -> APIError {
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
            metrics.count("freshet_database_errors_total")
            log.error("database", error: error, metadata: ["request_id": "\(requestID)"])
            return APIError(.unavailable, "try again", retryAfter: .seconds(1))
        default:
            metrics.count("freshet_unexpected_errors_total")
            log.error(
                "unexpected",
                error: error,
                metadata: ["request_id": "\(requestID)", "path": "\(path)"]
            )
            return APIError(.serverError)
        }
    }
}

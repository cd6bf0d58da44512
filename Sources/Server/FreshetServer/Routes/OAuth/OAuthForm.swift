// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetEngine
import FreshetHTTP
import FreshetWire
import HTTPTypes
import Hummingbird

/// Request forms and uncacheable responses of the endpoints for OAuth libraries.
enum OAuthForm {
    /// Parses a form.
    ///
    /// RFC 6749 has one error code for all malformed requests, unsupported media types included.
    static func fields(of request: Request, limit: Int) async throws -> [String: String] {
        guard request.mediaType == "application/x-www-form-urlencoded" else {
            throw APIError(.invalidRequest, "send a form: Content-Type: application/x-www-form-urlencoded")
        }
        let fields = try URLEncodedForm.fields(of: try await request.content(limit: limit))
        return Dictionary(fields.map { ($0.name, $0.value) }) { $1 }
    }

    /// Adds both header fields of RFC 6749 section 5.1 against caching, to errors as well.
    static func respond(
        _ context: ServerRequestContext,
        _ body: () async throws -> Response
    ) async throws -> Response {
        var response: Response
        do { response = try await body() } catch let error as APIError {
            response = Response.error(error, requestID: context.id)
        }
        response.headers[.cacheControl] = "no-store"
        if let pragma = HTTPField.Name("Pragma") { response.headers[pragma] = "no-cache" }
        return response
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetEngine
import FreshetHTTP
import FreshetWire
import HTTPTypes
import Hummingbird

/// What the endpoints for OAuth libraries have in common: forms in, and answers that no cache keeps.
enum OAuthForm {
    /// RFC 6749 knows one word for every request that cannot be read, a wrong kind of body among them.
    static func fields(of request: Request, limit: Int) async throws -> [String: String] {
        guard request.mediaType == "application/x-www-form-urlencoded" else {
            throw APIError(.invalidRequest, "send a form: Content-Type: application/x-www-form-urlencoded")
        }
        let fields = try URLEncodedForm.fields(of: try await request.content(limit: limit))
        return Dictionary(fields.map { ($0.name, $0.value) }) { $1 }
    }

    /// With both words against caches that RFC 6749 section 5.1 asks for, on errors as well.
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

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetEngine
import FreshetWire
import HTTPTypes
package import Hummingbird

/// The JSON encoding of all responses: sorted keys, unescaped slashes.
enum JSONResponse {
    /// The header fields of every JSON response; no cache may store it.
    static let headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]

    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    /// Returns the body of an error, also for a connection that reached no route.
    static func body(of error: APIError, requestID: String) throws -> Data {
        try encode(ErrorBody(error.code, error.description, reason: error.reason, requestID: requestID))
    }
}

extension Response {
    /// Returns the response for an error.
    package static func error(_ error: APIError, requestID: String) -> Response {
        var response = made(HTTPResponse.Status(code: error.code.status)) {
            try JSONResponse.body(of: error, requestID: requestID)
        }
        response.headers.append(contentsOf: error.headers)
        return response
    }

    /// Returns a JSON response.
    package static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) -> Response {
        made(status) { try JSONResponse.encode(value) }
    }

    /// A response without a body.
    package static var noContent: Response { Response(status: .noContent, headers: [.cacheControl: "no-store"]) }

    private static func made(_ status: HTTPResponse.Status, _ body: () throws -> Data) -> Response {
        guard let data = try? body() else { return Response(status: .internalServerError) }
        return Response(
            status: status,
            headers: JSONResponse.headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: data))
        )
    }
}

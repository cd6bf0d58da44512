// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetEngine
import FreshetWire
package import HTTPTypes
package import Hummingbird

/// How this server writes JSON, wherever an answer is made: members in order, slashes as they are.
enum JSONResponse {
    /// The fields that every JSON answer has; no cache may keep it.
    static let headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]

    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    /// The body of an error, for a route and for a connection that never came to one.
    static func body(of error: APIError, requestID: String) throws -> Data {
        try encode(ErrorBody(error.code, error.description, reason: error.reason, requestID: requestID))
    }
}

extension Response {
    /// The answer for an error.
    package static func error(_ error: APIError, requestID: String) -> Response {
        var response = made(HTTPResponse.Status(code: error.code.status)) {
            try JSONResponse.body(of: error, requestID: requestID)
        }
        response.headers.append(contentsOf: error.headers)
        return response
    }

    /// A JSON answer.
    package static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) -> Response {
        made(status) { try JSONResponse.encode(value) }
    }

    /// An answer without a body.
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

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetWire
import HTTPTypes

/// The description of one method of one path (OpenAPI 3.1).
struct OpenAPIOperation: Sendable {
    /// The body of a request.
    enum Body: Sendable {
        case json(String)
        case form(String)

        var mediaType: String {
            switch self {
            case .json: "application/json"
            case .form: "application/x-www-form-urlencoded"
            }
        }

        var schema: String {
            switch self {
            case .json(let name), .form(let name): name
            }
        }
    }

    /// The authentication that the operation requires.
    enum SecurityRequirement: Sendable {
        case open
        /// With an access token.
        case bearer
        /// With an access token, or with a mailed code in the body.
        case bearerOrCode
        /// The OAuth client authenticates itself; optional unless `isRequired`.
        case client(isRequired: Bool)
    }

    /// A response of the operation.
    struct Response: Sendable {
        var status: Int
        var sentence: String
        /// The name of the body's schema; `nil` for no body.
        var schema: String?

        static func ok(_ schema: String?, _ sentence: String, status: Int = 200) -> Response {
            Response(status: status, sentence: sentence, schema: schema)
        }

        static func error(_ status: Int, _ sentence: String) -> Response {
            Response(status: status, sentence: sentence, schema: "Error")
        }
    }

    var method: HTTPRequest.Method
    var path: String
    var id: String
    var summary: String
    var security = SecurityRequirement.open
    var body: Body?
    /// Parameters other than those of the path, as JSON text.
    var parameters: [String] = []
    var answers: [Response]

    /// The operations of all sections.
    static let all: [OpenAPIOperation] = OpenAPISection.all.flatMap(\.operations)

    /// The responses that any request can get.
    private static let common: [Response] = [
        .error(408, "The request did not arrive in time."), .error(431, "The header is too large."),
        .error(503, "Unavailable; Retry-After gives the time to wait."),
    ]

    private var securityResponses: [Response] {
        switch security {
        case .open: []
        case .bearer, .bearerOrCode:
            [
                .error(400, "The request has more than one Authorization field."),
                .error(401, "The access token is missing or expired, or its session has ended."),
            ]
        case .client: [.error(401, "The client is unknown, or its authentication failed.")]
        }
    }

    private var bodyResponses: [Response] {
        switch body {
        case nil: []
        case .json:
            [
                .error(400, "The body cannot be read."), .error(413, "The body is too large."),
                .error(415, "The body is not JSON."),
            ]
        case .form: [.error(400, "The body cannot be read."), .error(413, "The body is too large.")]
        }
    }

    /// All responses, one per status; the operation's own take precedence.
    var allResponses: [Response] {
        var all: [Response] = []
        for answer in answers + securityResponses + bodyResponses + Self.common
        where !all.contains(where: { $0.status == answer.status }) {
            all.append(answer)
        }
        return all.sorted { $0.status < $1.status }
    }
}

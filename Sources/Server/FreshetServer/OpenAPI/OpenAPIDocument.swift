// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetContractServer
import FreshetHTTP
import FreshetWire
import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers
import NIOCore

/// The OpenAPI 3.1 description of the server.
///
/// Describes the server's own paths; a contract describes its own.
struct OpenAPIDocument: Sendable {
    /// The described methods and paths.
    let routes: Set<String>
    private let operations: [OpenAPIOperation]

    /// Describes the routes of a table.
    init(_ table: RouteTable) {
        let mounted = Set(table.routes.map(Self.name) + [Self.name(.get, NativePath.openAPI)])
        operations = OpenAPIOperation.all.filter { mounted.contains(Self.name($0.method, $0.path)) }
        routes = Set(operations.map { Self.name($0.method, $0.path) })
    }

    /// The document as JSON text; computed by each call.
    var text: String {
        var paths = JSONObject()
        for operation in operations {
            var methods = paths[operation.path]?.object ?? JSONObject()
            methods[operation.method.rawValue.lowercased()] = operation.json
            paths[operation.path] = .object(methods)
        }
        let schemas = OpenAPISchema.all.compactMap { schema in
            (try? JSONParser.parse(schema.text.utf8)).map { JSONObject.Member(schema.name, $0) }
        }
        let document = JSONValue.members(
            ("openapi", .string("3.1.0")),
            (
                "info",
                .members(
                    ("title", .string("Freshet")),
                    ("version", .string("1")),
                    ("description", .string(Self.introduction))
                )
            ),
            ("paths", .object(paths)),
            (
                "components",
                .members(("schemas", .object(JSONObject(schemas))), ("securitySchemes", Self.securitySchemes))
            )
        )
        return document.jsonText
    }

    /// Adds the route that serves the document; the first request creates the text.
    func add(to table: inout RouteTable) {
        let cached = NIOLockedValueBox<ByteBuffer?>(nil)
        table.on(.get, NativePath.openAPI) { _, _ in
            let body = cached.withLockedValue { cached in
                let body = cached ?? ByteBuffer(string: text)
                cached = body
                return body
            }
            return Response(
                status: .ok,
                headers: [.contentType: "application/json", .cacheControl: "public, max-age=300"],
                body: ResponseBody(byteBuffer: body)
            )
        }
    }

    /// The server's own routes but its pages, whether they are turned on or not.
    static var routeRegistry: RouteRegistry {
        RouteRegistry(OpenAPIOperation.all.map { ($0.method, $0.path) })
    }

    /// Returns a method and a path as one key.
    static func name(_ method: HTTPRequest.Method, _ path: String) -> String { "\(method.rawValue) \(path)" }

    private static let introduction = """
        Sign in, and store the newest refresh_token. Send the access_token as Authorization: Bearer. Before it \
        expires, or after a 401, POST /v1/refresh with the refresh_token and an intent, and store the returned tokens \
        before you use them. Errors are JSON: error is a stable code, error_description is for developers. Bodies are \
        JSON unless a path begins with /oauth.
        """

    private static let securitySchemes = JSONValue.members(
        ("accessToken", .members(("type", .string("http")), ("scheme", .string("bearer")))),
        ("client", .members(("type", .string("http")), ("scheme", .string("basic"))))
    )
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract

extension OpenAPIOperation {
    /// The operation in the format of the document.
    var json: JSONValue {
        var members: [JSONObject.Member] = [
            .init("operationId", .string(id)), .init("summary", .string(summary)),
        ]
        let parameters = pathParameters + parameters.compactMap { try? JSONParser.parse($0.utf8) }
        if !parameters.isEmpty { members.append(.init("parameters", .array(parameters))) }
        if let body {
            let content = JSONValue.members((body.mediaType, .members(("schema", .reference(body.schema)))))
            members.append(.init("requestBody", .members(("required", .bool(true)), ("content", content))))
        }
        members.append(.init("responses", .object(JSONObject(allResponses.map { .init(String($0.status), $0.json) }))))
        members.append(.init("security", securityJSON))
        return .object(JSONObject(members))
    }

    /// The parameters in braces in the path.
    private var pathParameters: [JSONValue] {
        path.unicodeScalars.split(separator: "/").map(String.init).filter { $0.hasPrefix("{") }.map { name in
            .members(
                ("name", .string(String(name.dropFirst().dropLast()))),
                ("in", .string("path")),
                ("required", .bool(true)),
                ("schema", .members(("type", .string("string"))))
            )
        }
    }

    private var securityJSON: JSONValue {
        let anonymous = JSONValue.object(JSONObject())
        return switch security {
        case .open: .array([])
        case .bearer: .array([.members(("accessToken", .array([])))])
        case .bearerOrCode: .array([.members(("accessToken", .array([]))), anonymous])
        case .client(let isRequired):
            .array([.members(("client", .array([])))] + (isRequired ? [] : [anonymous]))
        }
    }
}

extension OpenAPIOperation.Response {
    var json: JSONValue {
        var members: [JSONObject.Member] = [.init("description", .string(sentence))]
        var headers: [JSONObject.Member] = []
        func text(_ about: String) -> JSONValue {
            .members(
                ("description", .string(about)),
                ("required", .bool(true)),
                ("schema", .members(("type", .string("string"))))
            )
        }
        if status == 401 { headers.append(.init("WWW-Authenticate", text("The required authentication."))) }
        if status == 429 || status == 503 { headers.append(.init("Retry-After", text("Seconds to wait."))) }
        if status == 426 { headers.append(.init("Upgrade", text("The protocol of the path."))) }
        if !headers.isEmpty { members.append(.init("headers", .object(JSONObject(headers)))) }
        if let schema {
            let content = JSONValue.members(("application/json", .members(("schema", .reference(schema)))))
            members.append(.init("content", content))
        }
        return .object(JSONObject(members))
    }
}

extension JSONValue {
    /// Returns an object with the members in order.
    static func members(_ members: (String, JSONValue)...) -> JSONValue {
        .object(JSONObject(members.map { .init($0.0, $0.1) }))
    }

    /// Returns a reference to a schema.
    static func reference(_ schema: String) -> JSONValue {
        .members(("$ref", .string("#/components/schemas/\(schema)")))
    }
}

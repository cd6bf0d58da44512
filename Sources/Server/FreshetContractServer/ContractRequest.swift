// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetEngine
import FreshetHTTP
import FreshetIdentity
import FreshetWire
import HTTPTypes
import Hummingbird
import NIOCore

/// A parsed request to a contract, from which the templates of endpoints read values.
struct ContractRequest: Sendable, Masked {
    /// A body in one of the formats of contracts.
    private enum Body: Sendable, Masked {
        case none
        case json(JSONValue)
        case form([(name: String, value: String)])

        var mask: String { "Body(•••)" }
    }

    private let request: Request
    private let parameters: [String: String]
    private let body: Body
    let requester: Requester

    var mask: String { "ContractRequest(\(request.method) \(request.uri.path))" }

    /// Parses a request whose body has the media type of one of `endpoints`.
    ///
    /// Without endpoints, the body is read up to the limit and ignored.
    init(
        _ request: Request,
        _ context: ServerRequestContext,
        for endpoints: [Endpoint],
        limit: Int
    ) async throws {
        self.request = request
        requester = context.requester
        var parameters: [String: String] = [:]
        for (name, value) in context.parameters {
            parameters[String(name)] = String(value).removingPercentEncoding ?? String(value)
        }
        self.parameters = parameters
        let mediaType = request.mediaType
        let bodyless = endpoints.first { $0.body == .none }
        let readable = endpoints.first { $0.mediaType != nil && $0.mediaType == mediaType } ?? bodyless
        if readable == nil, !endpoints.isEmpty {
            let types = Set(endpoints.compactMap(\.mediaType)).sorted().joined(separator: " or ")
            throw APIError(.unsupportedMediaType, "send it with Content-Type: \(types)")
        }
        let content = try await request.content(limit: limit)
        // Some clients send a Content-Type with every request, with or without a body.
        let form = content.readableBytes == 0 && bodyless != nil ? bodyless : readable
        switch form?.body ?? Endpoint.Body.none {
        case .none: body = .none
        case .json:
            do throws(JSONParser.Fault) { body = .json(try JSONParser.parse(content.readableBytesView)) } catch {
                throw APIError(.invalidRequest, "the body is not JSON")
            }
        case .form: body = .form(try URLEncodedForm.fields(of: content))
        }
    }

    /// Returns the values that are present at the template's places in the body, if the body is JSON.
    func values(inBody template: JSONTemplate) -> TemplateValues {
        if case .json(let value) = body { template.values(in: value) } else { TemplateValues() }
    }

    /// Returns the values of the request at the places that `endpoint` defines.
    func values(_ endpoint: Endpoint) throws(APIError) -> TemplateValues {
        var values = TemplateValues(texts: parameters)
        func take(_ template: Template, _ text: String?, trims: Bool = false) {
            guard let text, let found = template.values(in: text) else { return }
            for (name, value) in found {
                values[name] = .string(trims ? value.trimmingCharacters(in: .whitespaces) : value)
            }
        }
        for query in endpoint.query { take(query.template, self.query(query.name)) }
        for header in endpoint.headers { take(header.template, try self.header(header.name), trims: true) }
        for cookie in endpoint.cookies { take(cookie.template, self.cookie(cookie.name)) }
        if let basic = endpoint.basic, let (user, password) = try basicCredentials() {
            take(basic.user, user)
            take(basic.password, password)
        }
        switch (endpoint.body, body) {
        case (.json(let template), .json(let value)): values = values.merging(template.values(in: value))
        case (.form(let templates), .form(let fields)):
            for field in templates { take(field.template, fields.first { $0.name == field.name }?.value) }
        default: break
        }
        return values
    }

    /// Whether the request has all constants of `endpoint`, which distinguish endpoints with the same path.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint to compare the request with.
    ///   - allowsBody: Whether an endpoint without a body accepts a request with one.
    /// - Returns: Whether the request may be for this endpoint.
    /// - Throws: `invalidRequest` for a duplicate header field.
    func hasConstants(of endpoint: Endpoint, allowsBody: Bool = false) throws(APIError) -> Bool {
        func agrees(_ template: Template, _ text: String?) -> Bool {
            template.names.isEmpty ? text.map { template.values(in: $0) != nil } ?? false : true
        }
        for query in endpoint.query where !agrees(query.template, self.query(query.name)) { return false }
        for header in endpoint.headers where !agrees(header.template, try self.header(header.name)) { return false }
        switch (endpoint.body, body) {
        case (.none, .none): return true
        case (.none, _): return allowsBody
        case (.json(let template), .json(let value)): return template.hasConstants(in: value)
        case (.form(let templates), .form(let fields)):
            return templates.allSatisfy { field in agrees(field.template, fields.first { $0.name == field.name }?.value)
            }
        default: return false
        }
    }

    /// Returns the header field of a name; a duplicate is ambiguous and refused.
    func header(_ name: String) throws(APIError) -> String? {
        guard let name = HTTPField.Name(name) else { return nil }
        let fields = request.headers[values: name]
        guard fields.count <= 1 else { throw APIError(.invalidRequest, "more than one \(name) field") }
        return fields.first
    }

    private func query(_ name: String) -> String? {
        request.uri.queryParameters.first { $0.key == name }.map { String($0.value) }
    }

    private func cookie(_ name: String) -> String? {
        CookieField.value(of: name, in: request.headers[values: .cookie])
    }

    private func basicCredentials() throws(APIError) -> (user: String, password: String)? {
        try header("Authorization").flatMap { AuthorizationField($0)?.basic }
    }
}

extension Endpoint {
    /// The media type of its body; `nil` if it has none.
    fileprivate var mediaType: String? {
        switch body {
        case .none: return nil
        case .json: return media(or: "application/json")
        case .form: return media(or: "application/x-www-form-urlencoded")
        }
    }

    private func media(or usual: String) -> String {
        contentType.map {
            String($0.unicodeScalars.prefix { $0 != ";" }).trimmingCharacters(in: .whitespaces).lowercased()
        } ?? usual
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetEngine
import FreshetHTTP
import FreshetWire
import HTTPTypes
import Hummingbird

/// The responses of a contract, which the contract defines or which are derived from it.
struct ContractResponses: Sendable {
    private let contract: ContractDocument
    private let replies: [EndpointName: ServerDefinition.Answer]
    private let refusals: [ServerDefinition.Refusal: ServerDefinition.Answer]

    init(_ contract: ContractDocument) {
        self.contract = contract
        let own = contract.server?.replies ?? [:]
        replies = contract.endpoints.keys.reduce(into: [:]) { replies, name in
            // The response to the password sign-in also serves the other sign-ins, but not requests for a code.
            let shared = name.isLogin && name != .code ? own[.password] : nil
            replies[name] = own[name] ?? shared ?? .derived(from: contract, for: name)
        }
        refusals = contract.server?.refusals ?? [:]
    }

    /// The names of the values in an endpoint's response.
    func names(at name: EndpointName) -> Set<String> { replies[name]?.names ?? [] }

    func reply(to name: EndpointName, _ values: TemplateValues) throws -> Response {
        try response(replies[name] ?? ServerDefinition.Answer(status: 204), values)
    }

    func response(_ answer: ServerDefinition.Answer, _ values: TemplateValues) throws -> Response {
        var response = Response(status: HTTPResponse.Status(code: answer.status), headers: [.cacheControl: "no-store"])
        if let value = try answer.json?.value(values) {
            if contract.reply.encoding == .form, let object = value.object {
                let fields = object.members.map { (name: $0.name, value: $0.value.text ?? "") }
                response.headers[.contentType] = "application/x-www-form-urlencoded"
                response.body = ResponseBody(byteBuffer: ByteBuffer(string: URLEncodedForm.encode(fields)))
            } else {
                response.headers[.contentType] = "application/json"
                response.body = ResponseBody(byteBuffer: ByteBuffer(string: value.jsonText))
            }
        }
        var own = HTTPFields()
        for header in answer.headers {
            guard let name = HTTPField.Name(header.name), let text = try header.template.text(values) else { continue }
            own.append(HTTPField(name: name, value: text))
        }
        for name in Set(own.map(\.name)) { response.headers[values: name] = own[values: name] }
        return response
    }

    /// Returns the contract's response to an error.
    ///
    /// - Returns: `nil` if the contract has none; the native response is used then.
    func refusal(_ error: APIError, at name: EndpointName?, _ requestID: String) -> Response? {
        guard let refusal = error.refusal(at: name), var answer = refusals[refusal] else { return nil }
        // The contract has one status per kind of refusal, but clients must be able to distinguish these errors.
        switch error.code {
        case .unsupportedMediaType, .contentTooLarge, .conflict, .notImplemented, .methodNotAllowed, .upgradeRequired,
            .requestTimeout, .headersTooLarge, .serverError, .unavailable:
            answer.status = error.code.status
        default: break
        }
        let values = TemplateValues(["message": .string(error.description ?? "the access token is missing")])
        guard var response = try? self.response(answer, values) else { return nil }
        for field in error.headers where response.headers[field.name] == nil { response.headers.append(field) }
        if let name = HTTPField.Name("X-Request-ID") { response.headers[name] = requestID }
        return response
    }
}

extension ServerDefinition.Answer {
    /// The names of the values in its templates.
    var names: Set<String> { Set((json?.names ?? []) + headers.flatMap(\.template.names)) }
}

extension APIError {
    /// Returns the contract's name for this error.
    ///
    /// The error belongs to a call of an endpoint or, without a name, to a protected request.
    fileprivate func refusal(at name: EndpointName?) -> ServerDefinition.Refusal? {
        switch code {
        case .invalidRequest, .unsupportedMediaType, .contentTooLarge, .methodNotAllowed, .upgradeRequired,
            .requestTimeout, .headersTooLarge:
            .invalidRequest
        case .invalidGrant: name?.isLogin == true ? .refused : .sessionEnded
        case .conflict, .notImplemented: .refused
        case .invalidToken: .accessExpired
        case .insufficientScope, .originNotAllowed, .stepUpRequired: .forbidden
        case .notFound: .notFound
        case .superseded: .superseded
        case .tooManyRequests: .throttled
        case .serverError, .unavailable: .unavailable
        case .unsupportedGrantType, .invalidScope, .invalidClient: nil
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetHTTPParser
import FreshetWire
import HTTPTypes

/// A route that is answered without the router.
enum FastPathRoute: CaseIterable, Sendable {
    case refresh
    case confirm
    /// The user of the access token.
    case me

    init?(_ method: HTTPRequest.Method, _ path: String?) {
        guard let call = Self.allCases.first(where: { $0.path == path && $0.method == method }) else { return nil }
        self = call
    }

    var path: String {
        switch self {
        case .refresh: NativePath.refresh
        case .confirm: NativePath.confirm
        case .me: NativePath.me
        }
    }

    var method: HTTPRequest.Method {
        switch self {
        case .refresh, .confirm: .post
        case .me: .get
        }
    }

    /// Whether a request has a JSON body; others must have none.
    var hasBody: Bool { method == .post }

    private static let all = allCases
    private static let endpoints = all.map {
        FastPathEndpoint(method: $0.method.rawValue, path: $0.path, hasBody: $0.hasBody)
    }

    /// A parser of the requests for these routes.
    static func parser(_ limits: RequestLimits) -> FastPathRequestParser {
        FastPathRequestParser(
            endpoints: endpoints,
            maximumHeaderBytes: limits.headerBytes,
            maximumBodyBytes: limits.bodyBytes
        )
    }

    /// The route of a request that such a parser accepted.
    init(_ request: FastPathRequest) { self = Self.all[request.endpoint] }

    /// The header fields of a request that can change its response.
    func fields(_ request: FastPathRequest, in bytes: UnsafeRawBufferPointer) -> HTTPFields {
        var fields = HTTPFields()
        for field in request.fields {
            let name: HTTPField.Name
            switch field.name {
            case .authorization:
                // The refresh token in the body is sufficient.
                if hasBody { continue }
                name = .authorization
            case .traceParent: name = .traceParent
            case .requestID: name = .requestID
            case .forwardedFor: name = .forwardedFor
            case .other: continue
            }
            let value = String(decoding: bytes[field.valueRange], as: UTF8.self)
            fields.append(HTTPField(name: name, value: value))
        }
        return fields
    }
}

/// How a request entered the fast path.
enum FastPathEntry: String, CaseIterable, Sendable {
    /// Parsed from the bytes of its connection.
    case direct
    /// In the parts that NIO's decoder produced.
    case parts
}

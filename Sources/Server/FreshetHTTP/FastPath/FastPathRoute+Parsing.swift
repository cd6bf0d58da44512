// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetHTTPParser
import HTTPTypes

extension FastPathRoute {
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
                // The refresh token in the body is sufficient, so these fields are not needed.
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

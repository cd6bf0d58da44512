// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetEngine
package import FreshetIdentity
package import FreshetWire
import HTTPTypes
import Hummingbird
import Logging
package import NIOCore

/// What belongs to one request.
package struct ServerRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Who holds the connection.
    package let peer: SourceAddress?
    /// Who asks: the peer, or whom a trusted proxy asks for.
    package var requester = Requester()
    /// By what names the request is found again.
    var trace: RequestTrace?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress.flatMap { SourceAddress($0) }
    }

    /// The request's id, in logs and errors: a trusted proxy's, or this server's own.
    package var id: String { trace?.id ?? logger[metadataKey: "hb.request.id"]?.description ?? "" }
}

extension Request {
    /// Reads the JSON body.
    ///
    /// - Throws: `unsupportedMediaType`, `contentTooLarge`, or `invalidRequest` with the name of what is wrong.
    package func json<Value: Decodable>(_ type: Value.Type, limit: Int) async throws -> Value {
        try Self.decode(type, from: try await jsonContent(limit: limit))
    }

    /// As ``json(_:limit:)``, for the bodies that come with every refresh: the short way first, the general one for the rest.
    package func json<Value: FlatDecodable>(_ type: Value.Type, limit: Int) async throws -> Value {
        let buffer = try await jsonContent(limit: limit)
        let value = buffer.withUnsafeReadableBytes { bytes in FlatJSON(bytes).flatMap { type.init($0) } }
        return try value ?? Self.decode(type, from: buffer)
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, from buffer: ByteBuffer) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(buffer.readableBytesView))
        } catch let error as DecodingError {
            throw APIError(.invalidRequest, error.summary)
        }
    }

    private func jsonContent(limit: Int) async throws -> ByteBuffer {
        guard mediaType == "application/json" else {
            throw APIError(.unsupportedMediaType, "send JSON with Content-Type: application/json")
        }
        return try await content(limit: limit)
    }

    /// What kind of body it says it has, in lower case and without parameters.
    package var mediaType: String? {
        let field = headers[.contentType]
        if field == "application/json" { return field }
        return field?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    }

    /// The body, if it is not too large.
    package func content(limit: Int) async throws -> ByteBuffer {
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > limit { throw tooLarge(limit) }
        do { return try await body.collect(upTo: limit) } catch is NIOTooManyBytesError { throw tooLarge(limit) }
    }

    private func tooLarge(_ limit: Int) -> APIError { APIError(.contentTooLarge, "a body has at most \(limit) bytes") }
}

extension DecodingError {
    /// What is wrong and where, without a word of the body itself: it may hold a secret.
    fileprivate var summary: String {
        func path(_ context: Context, _ last: String? = nil) -> String {
            (context.codingPath.map(\.stringValue) + (last.map { [$0] } ?? [])).joined(separator: ".")
        }
        switch self {
        case .keyNotFound(let key, let context): return "\(path(context, key.stringValue)) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            let place = path(context)
            return place.isEmpty ? "the body is not a JSON object" : "\(place) has the wrong type"
        case .dataCorrupted(let context):
            let place = path(context)
            return place.isEmpty ? "the body is not JSON" : "\(place) cannot be read"
        @unknown default: return "the body cannot be read"
        }
    }
}

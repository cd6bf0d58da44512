// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetEngine
package import FreshetIdentity
package import FreshetWire
import HTTPTypes
package import Hummingbird
import Logging
package import NIOCore

/// The context of one request.
package struct ServerRequestContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The address of the connection's peer.
    package let peer: SourceAddress?
    /// The client: the peer, or the client that a trusted proxy forwards for.
    package var requester = Requester()
    /// The request's identifiers in logs and traces.
    var trace: RequestTrace?

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress.flatMap { SourceAddress($0) }
    }

    /// The request's ID in logs and errors: a trusted proxy's, or this server's own.
    var id: String { trace?.id ?? logger[metadataKey: "hb.request.id"]?.description ?? "" }
}

extension Request {
    /// Decodes the JSON body.
    ///
    /// - Throws: `unsupportedMediaType`, `contentTooLarge`, or `invalidRequest` with the name of the invalid member.
    package func json<Value: Decodable>(_ type: Value.Type, limit: Int) async throws -> Value {
        try Self.decode(type, from: try await jsonContent(limit: limit))
    }

    /// Decodes as ``json(_:limit:)``, with the fast parser for flat objects first.
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

    /// The media type of the body, in lower case and without parameters.
    package var mediaType: String? {
        let field = headers[.contentType]
        if field == "application/json" { return field }
        return field.map { String($0.unicodeScalars.prefix { $0 != ";" }) }?.trimmingCharacters(in: .whitespaces)
            .lowercased()
    }

    /// Collects the body, unless it is larger than `limit`.
    package func content(limit: Int) async throws -> ByteBuffer {
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > limit { throw tooLarge(limit) }
        do { return try await body.collect(upTo: limit) } catch is NIOTooManyBytesError { throw tooLarge(limit) } catch
        {
            throw IncompleteBody()
        }
    }

    private func tooLarge(_ limit: Int) -> APIError { APIError(.contentTooLarge, "a body has at most \(limit) bytes") }
}

/// The error of a body whose client closed the connection or reset the stream before its end.
struct IncompleteBody: APIErrorConvertible {
    var apiError: APIError { APIError(.invalidRequest, "the body is incomplete") }
}

extension DecodingError {
    /// The error and its location, without any content of the body, which may contain a secret.
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

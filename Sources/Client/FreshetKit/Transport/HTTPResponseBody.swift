// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The body of a response, collected or streamed.
protocol HTTPResponseBody: Sendable {
    static func fetch(
        _ request: URLRequest,
        _ body: HTTPRequestBody,
        over transport: any HTTPTransport
    ) async throws -> (Self, HTTPURLResponse)

    /// Returns the part of the body by which the response is classified. The body can still be read.
    func inspectedBody(of response: HTTPURLResponse, on clock: SessionClock) async throws -> Data

    /// Discards the body unread.
    func discard()
}

extension ResponseBytes: HTTPResponseBody {
    /// The maximum length of a refusal's body that is inspected; the rest would not change the classification.
    static let inspectionLimit = 64 * 1024
    /// The timeout after which a refusal is classified by the part of its body that has arrived.
    static let inspectionTimeout: Duration = .seconds(10)

    static func fetch(
        _ request: URLRequest,
        _ body: HTTPRequestBody,
        over transport: any HTTPTransport
    ) async throws -> (ResponseBytes, HTTPURLResponse) {
        try await transport.send(request, body: body)
    }

    func inspectedBody(of response: HTTPURLResponse, on clock: SessionClock) async throws -> Data {
        let type = response.value(forHTTPHeaderField: "Content-Type")
        return try await inspectedBody(status: response.statusCode, contentType: type, on: clock)
    }

    /// Returns the part of the body by which the response is classified, for clients with their own response type.
    func inspectedBody(status: Int, contentType: String?, on clock: SessionClock) async throws -> Data {
        // A success may stream for hours. Only a JSON document can say that it is a refusal.
        let type = contentType.flatMap(HTTPReply.mediaType) ?? ""
        guard status >= 400 || type == "application/json" || type.hasSuffix("+json") else { return Data() }
        return try await peek(upTo: Self.inspectionLimit, until: clock.now() + Self.inspectionTimeout, on: clock)
    }

    func discard() { cancel() }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// How the body of an answer comes to the caller: whole, or in pieces.
protocol HTTPResponseBody: Sendable {
    static func fetch(
        _ request: URLRequest,
        _ body: HTTPRequestBody,
        over transport: any HTTPTransport
    ) async throws -> (Self, HTTPURLResponse)

    /// What the answer's meaning is told by. It stays to be read.
    func inspectedBody(of response: HTTPURLResponse, on clock: SessionClock) async throws -> Data

    /// Nobody will read it.
    func discard()
}

extension ResponseBytes: HTTPResponseBody {
    /// No longer refusal is looked at whole; what lies beyond says nothing that a status does not.
    static let inspectionLimit = 64 * 1024
    /// A refusal whose body has not arrived by then is told by what came of it.
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

    /// The same for clients with answers of their own type.
    func inspectedBody(status: Int, contentType: String?, on clock: SessionClock) async throws -> Data {
        // A success may trickle for hours. Only a JSON document can say that it is none.
        let type = contentType?.split(separator: ";").first?.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
        guard status >= 400 || type == "application/json" || type.hasSuffix("+json") else { return Data() }
        return try await peek(upTo: Self.inspectionLimit, until: clock.now() + Self.inspectionTimeout, on: clock)
    }

    func discard() { cancel() }
}

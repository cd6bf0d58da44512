// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// How the body of an answer comes to the caller: whole, or in pieces.
protocol AnswerBody: Sendable {
    static func fetch(
        _ request: URLRequest,
        _ body: RequestBody,
        over transport: any HTTPTransport
    ) async throws -> (Self, HTTPURLResponse)

    /// What the answer's meaning is told by. It stays to be read.
    func evidence(of response: HTTPURLResponse) async throws -> Data

    /// Nobody will read it.
    func discard()
}

extension Data: AnswerBody {
    static func fetch(
        _ request: URLRequest,
        _ body: RequestBody,
        over transport: any HTTPTransport
    ) async throws -> (Data, HTTPURLResponse) {
        switch body {
        case .inRequest: return try await transport.data(for: request)
        case .file:
            let (bytes, response) = try await transport.send(request, body: body)
            return (try await bytes.data(), response)
        }
    }

    func evidence(of response: HTTPURLResponse) -> Data { self }

    func discard() {}
}

extension ResponseBytes: AnswerBody {
    /// No longer refusal is looked at whole; what lies beyond says nothing that a status does not.
    static let longestEvidence = 64 * 1024

    static func fetch(
        _ request: URLRequest,
        _ body: RequestBody,
        over transport: any HTTPTransport
    ) async throws -> (ResponseBytes, HTTPURLResponse) {
        try await transport.send(request, body: body)
    }

    func evidence(of response: HTTPURLResponse) async throws -> Data {
        // A success may trickle for hours. Only a JSON document can say that it is none.
        let type = response.value(forHTTPHeaderField: "Content-Type")?.split(separator: ";").first?.lowercased() ?? ""
        let isDocument = type == "application/json" || type.hasSuffix("+json")
        return response.statusCode >= 400 || isDocument ? try await peek(upTo: Self.longestEvidence) : Data()
    }

    func discard() { cancel() }
}

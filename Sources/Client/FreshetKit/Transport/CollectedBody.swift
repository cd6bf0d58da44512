// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The body of a response, collected in memory as far as it arrived.
struct CollectedBody: HTTPResponseBody {
    private let data: Data
    /// The reason that the body is incomplete; `nil` if it is complete.
    private var error: (any Error)?

    static func fetch(
        _ request: URLRequest,
        _ body: HTTPRequestBody,
        over transport: any HTTPTransport
    ) async throws -> (CollectedBody, HTTPURLResponse) {
        do {
            switch body {
            case .inRequest:
                let (data, response) = try await transport.data(for: request)
                return (CollectedBody(data: data), response)
            case .file:
                let (bytes, response) = try await transport.send(request, body: body)
                return (CollectedBody(data: try await bytes.data(of: response)), response)
            }
        } catch let partial as PartialResponse {
            return (CollectedBody(data: partial.data, error: partial.error), partial.response)
        }
    }

    func inspectedBody(of response: HTTPURLResponse, on clock: SessionClock) -> Data { data }

    func discard() {}

    /// Returns the body.
    ///
    /// - Throws: The transport's error if it is incomplete.
    func whole() throws -> Data {
        if let error { throw error }
        return data
    }
}

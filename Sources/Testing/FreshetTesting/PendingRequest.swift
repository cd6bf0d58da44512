// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
internal import FreshetKit

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A request that waits for the test to answer it.
public final class PendingRequest: Sendable {
    private enum State {
        case open(CheckedContinuation<(Data, HTTPURLResponse), any Error>?)
        case over(Result<(Data, HTTPURLResponse), any Error>)
    }

    /// The request as the client sent it.
    public let request: URLRequest
    /// Whether the request is for a token endpoint, on a separate connection.
    public let isExchange: Bool
    private let state = Locked(State.open(nil))

    init(_ request: URLRequest, isExchange: Bool) {
        self.request = request
        self.isExchange = isExchange
    }

    /// The path of the request's URL.
    public var path: String { request.url?.path ?? "" }

    /// The bearer token in the `Authorization` header, if any.
    public var bearer: String? {
        let header = request.value(forHTTPHeaderField: "Authorization")
        return header.flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil }
    }

    /// Answers the request with a status, header fields and a body.
    public func answer(_ status: Int, headers: [String: String] = [:], body: String = "") {
        finish(with: Result { try Self.answer(to: request, status, headers, Data(body.utf8)) })
    }

    /// Answers the request with a JSON body.
    public func answer(_ status: Int, headers: [String: String] = [:], json: String) {
        answer(status, headers: headers.merging(["Content-Type": "application/json"]) { first, _ in first }, body: json)
    }

    /// Fails the request with an error instead of a response.
    public func fail(_ error: any Error = URLError(.networkConnectionLost)) {
        finish(with: .failure(error))
    }

    func outcome() async throws -> (Data, HTTPURLResponse) {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<(Data, HTTPURLResponse), any Error>? = state.withLock { state in
                    if case .over(let result) = state { return result }
                    state = .open(continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            finish(with: .failure(CancellationError()))
        }
    }

    package func finish(with result: Result<(Data, HTTPURLResponse), any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<(Data, HTTPURLResponse), any Error>? in
            guard case .open(let continuation) = state else { return nil }
            state = .over(result)
            return continuation
        }
        continuation?.resume(with: result)
    }

    package static func answer(
        to request: URLRequest,
        _ status: Int,
        _ headers: [String: String],
        _ body: Data
    ) throws -> (Data, HTTPURLResponse) {
        guard let url = request.url,
            let response = HTTPURLResponse(
                url: url,
                statusCode: status,
                httpVersion: "HTTP/1.1",
                headerFields: headers
            )
        else { throw URLError(.badServerResponse) }
        return (body, response)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
public import FreshetKit

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension AppBackend: HTTPTransport {
    /// Answers a request of the app.
    public func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await outcome(of: request)
    }

    /// Answers a request to a token endpoint.
    public func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
        try await outcome(of: request)
    }

    private func outcome(of request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let response: BackendResponse? =
            switch respond(to: try BackendRequest(try await request.withBufferedBody())) {
            case .answer(let response): response
            case .held(let held): try await waitForRelease(held)
            case .hangUp: nil
            }
        return try Self.outcome(of: request, response)
    }

    private func waitForRelease(_ held: PendingReply) async throws -> BackendResponse {
        defer { linkedClock?.recordChange() }
        linkedClock?.recordChange()
        return try await held.released()
    }

    fileprivate static func outcome(
        of request: URLRequest,
        _ response: BackendResponse?
    ) throws -> (Data, HTTPURLResponse) {
        guard let response else { throw URLError(.networkConnectionLost) }
        return try PendingRequest.answer(to: request, response.status, response.headers.fields, response.body)
    }
}

extension PendingRequest {
    /// Answers the request with the response of an app's backend, or closes its connection.
    ///
    /// A response that ``BackendFault/held`` would delay is sent at once: the test holds the request itself.
    public func answer(from backend: AppBackend) {
        finish(
            with: Result {
                let response: BackendResponse? =
                    switch backend.respond(to: try BackendRequest(request)) {
                    case .answer(let response): response
                    case .held(let held): held.response
                    case .hangUp: nil
                    }
                return try AppBackend.outcome(of: request, response)
            }
        )
    }
}

extension BackendRequest {
    fileprivate init(_ request: URLRequest) throws {
        guard let url = request.url, let parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
            throw URLError(.badURL)
        }
        self.init(
            request.httpMethod ?? "GET",
            parts.path.isEmpty ? "/" : parts.path,
            host: parts.host.map { host in parts.port.map { "\(host):\($0)" } ?? host },
            query: parts.queryItems ?? [],
            headers: BackendHeaders(request.allHTTPHeaderFields ?? [:]),
            body: try request.wholeBody()
        )
    }
}

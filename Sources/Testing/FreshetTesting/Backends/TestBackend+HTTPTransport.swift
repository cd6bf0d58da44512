// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
public import FreshetKit

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension TestBackend: HTTPTransport {
    /// Answers a request of the app.
    public func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await outcome(of: request)
    }

    /// Answers a request to a token endpoint.
    public func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
        try await outcome(of: request)
    }

    private func outcome(of request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let reply = respond(to: try BackendRequest(try await request.withBufferedBody()))
        return try await reply.releasedURLResponse(to: request, reportingTo: state.withLock { $0.clock })
    }
}

extension PendingRequest {
    /// Answers the request with the backend's response, or closes its connection if a fault requires it.
    ///
    /// A response that ``BackendFault/held`` would delay is sent at once: the test holds the request itself.
    public func answer(from backend: TestBackend) {
        finish(with: Result { try backend.respond(to: try BackendRequest(request)).urlResponse(to: request) })
    }
}

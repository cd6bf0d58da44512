// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
internal import FreshetKit
package import FreshetTesting

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

extension AppBackend: HTTPTransport {
    /// Answers a request of the app.
    package func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await outcome(of: request)
    }

    /// Answers a request to a token endpoint.
    package func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
        try await outcome(of: request)
    }

    private func outcome(of request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let reply = respond(to: try BackendRequest(try await request.withBufferedBody()))
        return try await reply.releasedURLResponse(to: request, reportingTo: linkedClock)
    }
}

extension PendingRequest {
    /// Answers the request with the response of an app's backend, or closes its connection.
    ///
    /// A response that ``BackendFault/held`` would delay is sent at once: the test holds the request itself.
    package func answer(from backend: AppBackend) {
        finish(with: Result { try backend.respond(to: try BackendRequest(request)).urlResponse(to: request) })
    }
}

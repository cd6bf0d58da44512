// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

@testable import StressWorker

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Hands requests to a backend in this process.
struct InProcessTransport: HTTPTransport {
    let backend: StressBackend

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        guard let reply = await backend.answer(StressRequest(request)), let url = request.url else {
            throw URLError(.networkConnectionLost)
        }
        var headers = reply.headers
        if !reply.body.isEmpty { headers["Content-Type"] = "application/json" }
        guard
            let response = HTTPURLResponse(
                url: url,
                statusCode: reply.status,
                httpVersion: "HTTP/1.1",
                headerFields: headers
            )
        else { throw URLError(.badServerResponse) }
        return (Data(reply.body.utf8), response)
    }

    func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
        try await data(for: request)
    }
}

extension StressRequest {
    init(_ request: URLRequest) {
        self.init(
            method: request.httpMethod ?? "GET",
            path: request.url?.path ?? "",
            headers: (request.allHTTPHeaderFields ?? [:]).reduce(into: [:]) { $0[$1.key.lowercased()] = $1.value },
            body: request.httpBody ?? Data()
        )
    }
}

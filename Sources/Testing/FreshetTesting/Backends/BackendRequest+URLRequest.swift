// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(FoundationNetworking)
    internal import Foundation
    package import FoundationNetworking
#else
    package import Foundation
#endif

extension BackendRequest {
    /// Creates the request that a backend receives from `URLSession`.
    ///
    /// - Throws: `URLError.badURL`, or the error of reading the body's stream.
    package init(_ request: URLRequest) throws {
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

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import AsyncHTTPClient
package import Foundation
package import FreshetKit
import NIOCore

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// Carries requests over SwiftNIO: on Linux a third of the work of URLSession, and without its silent repeats of
/// requests whose connection was lost.
package struct NIOTransport: HTTPTransport {
    /// The clients live as long as the process, which is what the tool needs.
    private static let shared = AsyncHTTPClientTransport(configuration: configuration)
    private static var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        // It also bounds the wait for a free connection. A queue is no fault of the server, so only the request's own
        // timeout ends that wait.
        configuration.timeout.connect = .hours(1)
        configuration.httpVersion = .http1Only
        return configuration
    }

    private let transport: AsyncHTTPClientTransport

    /// - Parameter timeout: How long the head of an answer to a request of the app may take.
    package init(timeout: Duration = .seconds(60)) { transport = Self.shared.with(timeout: timeout) }

    package func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await transport.data(for: request)
    }

    package func send(_ request: URLRequest, body: HTTPRequestBody) async throws -> (ResponseBytes, HTTPURLResponse) {
        try await transport.send(request, body: body)
    }

    package func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
        try await transport.exchange(request, deadline: deadline)
    }
}

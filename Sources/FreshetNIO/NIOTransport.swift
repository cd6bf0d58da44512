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
    /// For requests of the app: connections are kept.
    ///
    /// It lives as long as the process, which is what the tool needs.
    private static let pooled: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        // It also bounds the wait for a free connection. A queue is no fault of the server, so only the request's own
        // timeout ends that wait.
        configuration.timeout.connect = .hours(1)
        // A body that stands still ends, too: the request's own timeout is for its head.
        configuration.timeout.read = .seconds(60)
        configuration.timeout.write = .seconds(60)
        // A server that is away is told of at once; whether to try again is for the caller to say.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = .http1Only
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    private let transport: AsyncHTTPClientTransport

    /// - Parameter timeout: How long the head of an answer to a request of the app may take.
    package init(timeout: Duration = .seconds(60)) {
        transport = AsyncHTTPClientTransport(Self.pooled, timeout: timeout)
    }

    package func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await transport.data(for: request)
    }

    package func send(_ request: URLRequest, body: RequestBody) async throws -> (ResponseBytes, HTTPURLResponse) {
        try await transport.send(request, body: body)
    }

    package func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
        try await transport.exchange(request, deadline: deadline)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import AsyncHTTPClient
package import Foundation
import FreshetKit
import NIOCore
import NIOHTTP1

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// Carries requests over SwiftNIO: on Linux a third of the work of URLSession, and without its silent repeats of
/// requests whose connection was lost.
package struct NIOTransport: HTTPTransport {
    /// Answers beyond this are cut off as an error.
    package static let maximumAnswer = 16 * 1024 * 1024

    /// For requests of the app: connections are kept.
    ///
    /// Its connection time also bounds the wait for a free connection. A queue is no fault of the server, so only the
    /// request's own timeout ends that wait.
    private static let pooled = client { $0.timeout.connect = .hours(1) }
    /// For token endpoints: each request has a connection of its own.
    private static let single = client { $0.maximumUsesPerConnection = 1 }

    private let timeout: Duration

    /// - Parameter timeout: How long a request of the app may take.
    package init(timeout: Duration = .seconds(60)) {
        self.timeout = timeout
    }

    package func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await send(request, by: Self.pooled, timeout)
    }

    package func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
        var request = request
        // The server need not keep what nobody will use again.
        request.setValue("close", forHTTPHeaderField: "Connection")
        return try await send(request, by: Self.single, deadline)
    }

    /// Clients that live as long as the process, which is what the tool needs.
    private static func client(_ adjust: (inout HTTPClient.Configuration) -> Void) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout.connect = .seconds(10)
        // A server that is away is told of at once; whether to try again is for the caller to say.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = .http1Only
        adjust(&configuration)
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    private func send(
        _ request: URLRequest,
        by client: HTTPClient,
        _ timeout: Duration
    ) async throws -> (Data, HTTPURLResponse) {
        guard let url = request.url else { throw URLError(.badURL) }
        // A stream can be read once only, and nobody could send it again.
        guard request.httpBodyStream == nil else { throw URLError(.requestBodyStreamExhausted) }
        var message = HTTPClientRequest(url: url.absoluteString)
        message.method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
        for (name, value) in request.allHTTPHeaderFields ?? [:] { message.headers.add(name: name, value: value) }
        if let body = request.httpBody { message.body = .bytes(ByteBuffer(bytes: body)) }
        let answer = try await client.execute(message, timeout: TimeAmount(timeout))
        let body = try await answer.body.collect(upTo: Self.maximumAnswer)
        let fields = Dictionary(answer.headers.map { ($0.name, $0.value) }) { "\($0), \($1)" }
        guard
            let response = HTTPURLResponse(
                url: url,
                statusCode: Int(answer.status.code),
                httpVersion: "HTTP/1.1",
                headerFields: fields
            )
        else { throw URLError(.badServerResponse) }
        return (Data(body.readableBytesView), response)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Verification && AsyncHTTPClient
    internal import AsyncHTTPClient
    internal import Foundation
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOSSL

    /// Sends requests to issuers with AsyncHTTPClient.
    ///
    /// Uses its own client, because a given client does not reveal whether it follows redirects.
    public enum AsyncHTTPClientFetch {
        /// The client is never released, because a client that is released without a shutdown traps.
        private static let client = HTTPClient(
            eventLoopGroup: HTTPClient.defaultEventLoopGroup,
            configuration: configuration
        )

        private static var configuration: HTTPClient.Configuration {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.minimumTLSVersion = .tlsv12
            var configuration = HTTPClient.Configuration()
            configuration.tlsConfiguration = tls
            configuration.redirectConfiguration = .disallow
            configuration.httpVersion = .http1Only
            configuration.timeout.connect = .seconds(10)
            configuration.connectionPool.retryConnectionEstablishment = false
            return configuration
        }

        /// Sends a request and reads the body of its response.
        ///
        /// - Throws: An ``IssuerFetchError``, an error of the connection, or `NIOTooManyBytesError`.
        public static func send(_ request: IssuerRequest) async throws -> IssuerResponse {
            guard IssuerRequest.isSafe(request.url) else { throw IssuerFetchError.unsafeAddress }
            return try await withThrowingTaskGroup(of: IssuerResponse.self) { group in
                // The client's own timeouts stop a connection without progress, but not a slow one.
                group.addTask { try await receive(request) }
                group.addTask {
                    try await Task.sleep(for: request.timeout)
                    throw IssuerFetchError.timeout
                }
                defer { group.cancelAll() }
                guard let response = try await group.next() else { throw IssuerFetchError.timeout }
                return response
            }
        }

        private static func receive(_ request: IssuerRequest) async throws -> IssuerResponse {
            var message = HTTPClientRequest(url: request.url.absoluteString)
            message.headers.add(name: "Accept", value: "application/json")
            if let authorization = request.authorization {
                message.headers.add(name: "Authorization", value: authorization)
            }
            let response = try await client.execute(message, timeout: TimeAmount(request.timeout))
            let body = try await response.body.collect(upTo: request.maximumLength)
            return IssuerResponse(
                status: Int(response.status.code),
                cacheControl: response.headers.first(name: "Cache-Control"),
                body: Array(body.readableBytesView)
            )
        }
    }
#endif

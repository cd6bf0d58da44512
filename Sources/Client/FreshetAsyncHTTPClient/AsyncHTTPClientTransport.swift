// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if AsyncHTTPClient
    public import AsyncHTTPClient
    public import Foundation
    public import FreshetKit
    public import NIOCore
    internal import NIOHTTP1

    #if canImport(FoundationNetworking)
        public import FoundationNetworking
    #endif

    /// Sends requests with AsyncHTTPClient.
    ///
    /// The transport creates its own `HTTPClient` from the app's configuration, because a client that follows redirects
    /// sends tokens in headers other than `Authorization` to other origins, and the redirect setting of an existing
    /// client cannot be read. The session decides which origins see the access token.
    ///
    /// A slow reader applies backpressure to the server. The client never retries connections or requests: the session
    /// decides about retries. Requests to token endpoints use separate connections, because requests that wait for a
    /// refresh may occupy all connections of the app.
    ///
    /// The clients are shut down when the last copy of the transport and the last body of a response are released, or
    /// by ``shutdown()``.
    public struct AsyncHTTPClientTransport: HTTPTransport {
        let clients: HTTPClientPair
        private let timeout: Duration

        /// Creates the transport and its clients.
        ///
        /// - Parameters:
        ///   - configuration: Certificates, proxy, pool, timeouts, HTTP versions and decompression. Its redirect
        ///     configuration is replaced by `.disallow`, and failed connections are not retried. Read and write
        ///     timeouts default to `timeout`.
        ///   - eventLoopGroup: The event loops of the connections.
        ///   - timeout: The timeout of a response's head, except while a file or stream is sent, and of each pause in
        ///     the response's body.
        public init(
            configuration: HTTPClient.Configuration = HTTPClient.Configuration(),
            eventLoopGroup: any EventLoopGroup = HTTPClient.defaultEventLoopGroup,
            timeout: Duration = .seconds(60)
        ) {
            clients = HTTPClientPair(configuration, eventLoopGroup, TimeAmount(timeout))
            self.timeout = timeout
        }

        private init(_ clients: HTTPClientPair, _ timeout: Duration) {
            self.clients = clients
            self.timeout = timeout
        }

        /// Returns a transport with the same clients and another timeout of a response's head.
        package func with(timeout: Duration) -> AsyncHTTPClientTransport { Self(clients, timeout) }

        /// Cancels all requests, and closes all connections.
        ///
        /// - Throws: AsyncHTTPClient's error if the clients were shut down already.
        public func shutdown() async throws { try await clients.shutdown() }

        /// Sends a request of the app, and collects a response of at most 16 MiB.
        ///
        /// A body stream is read on a thread that may block, while it is sent.
        public func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
            let (bytes, response) = try await send(request, body: .inRequest)
            return (try await bytes.data(of: response), response)
        }

        /// Sends a request of the app, streaming the request's file and the response.
        public func send(_ request: URLRequest, body: HTTPRequestBody) async throws -> (ResponseBytes, HTTPURLResponse)
        {
            var message = try Self.message(request)
            var deadline: Duration? = timeout
            if case .file(let file) = body {
                let chunks = try FileChunks(file)
                message.body = .stream(chunks, length: .known(chunks.count))
                deadline = nil
            } else if let stream = request.httpBodyStream {
                let length = message.headers.first(name: "Content-Length").flatMap { Int64($0) }
                message.body = .stream(try StreamChunks(stream), length: length.map { .known($0) } ?? .unknown)
                deadline = nil
            }
            return try await execute(message, by: clients.pooled, deadline)
        }

        /// Sends a request to a token endpoint once, and asks the server to close the connection.
        public func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
            var message = try Self.message(request)
            // The connection is not reused.
            message.headers.replaceOrAdd(name: "Connection", value: "close")
            let (bytes, response) = try await execute(message, by: clients.exchanges, deadline)
            return (try await bytes.data(upTo: ResponseBytes.largestExchange), response)
        }

        private func execute(
            _ message: HTTPClientRequest,
            by client: HTTPClient,
            _ deadline: Duration?
        ) async throws -> (ResponseBytes, HTTPURLResponse) {
            let end = deadline.map { NIODeadline.now() + TimeAmount($0) } ?? .distantFuture
            let answer = try await client.execute(message, deadline: end)
            guard let url = URL(string: message.url),
                let response = HTTPURLResponse(
                    url: url,
                    statusCode: Int(answer.status.code),
                    httpVersion: "HTTP/\(answer.version.major).\(answer.version.minor)",
                    headerFields: answer.headers.combined
                )
            else { throw URLError(.badServerResponse) }
            return (bytes(answer.body), response)
        }

        /// Returns a body that retains the clients until the body has been read.
        func bytes(_ body: HTTPClientResponse.Body) -> ResponseBytes {
            ResponseBytes(body.map { Data($0.readableBytesView) }) { [clients] in _ = clients }
        }

        private static func message(_ request: URLRequest) throws -> HTTPClientRequest {
            // NIO's resolver traps on a port outside TCP's range.
            guard let url = request.url, url.port.map({ (1...65_535).contains($0) }) ?? true else {
                throw URLError(.badURL)
            }
            var message = HTTPClientRequest(url: url.absoluteString)
            message.method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
            for (name, value) in request.allHTTPHeaderFields ?? [:] { message.headers.add(name: name, value: value) }
            if let body = request.httpBody { message.body = .bytes(ByteBuffer(bytes: body)) }
            return message
        }
    }
#endif

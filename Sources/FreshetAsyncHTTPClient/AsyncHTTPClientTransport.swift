// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if AsyncHTTPClient
    public import AsyncHTTPClient
    public import Foundation
    public import FreshetKit
    internal import NIOCore
    internal import NIOHTTP1

    #if canImport(FoundationNetworking)
        public import FoundationNetworking
    #endif

    /// Carries requests with an `HTTPClient` of the app's, which the app also shuts down.
    ///
    /// The client must not follow redirects (`redirectConfiguration = .disallow`): who may see the access token is decided
    /// by the session. A request whose answer shows that the client followed one fails with a contract fault.
    ///
    /// A slow reader makes the server wait. The client never repeats a request by itself. Token endpoints are asked by a
    /// client of their own, because the app's connections may all be taken by requests that wait for a refresh.
    public struct AsyncHTTPClientTransport: HTTPTransport {
        private let client: HTTPClient
        private let exchanges: HTTPClient
        private let timeout: Duration

        /// One connection a request, for as long as the process lives.
        private static let ownExchanges: HTTPClient = {
            var configuration = HTTPClient.Configuration()
            configuration.redirectConfiguration = .disallow
            configuration.timeout.connect = .seconds(10)
            // A server that is away is told of at once; whether to try again is for the session to say.
            configuration.connectionPool.retryConnectionEstablishment = false
            configuration.httpVersion = .http1Only
            configuration.maximumUsesPerConnection = 1
            return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        }()

        /// Sends requests of the app through its own client.
        ///
        /// - Parameters:
        ///   - client: Carries them. How long it waits between two packets is for its own configuration to say.
        ///   - exchanges: Carries requests to token endpoints, where these need a proxy or certificates of the app's. It
        ///     should be another than `client`, follow no redirect and use a connection once.
        ///   - timeout: How long the head of an answer is waited for, but not while a file is sent.
        public init(_ client: HTTPClient, exchanges: HTTPClient? = nil, timeout: Duration = .seconds(60)) {
            self.client = client
            self.exchanges = exchanges ?? Self.ownExchanges
            self.timeout = timeout
        }

        /// Sends a request of the app, and collects an answer of 16 MiB at most.
        public func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
            try await collect(request, by: client, timeout)
        }

        /// Sends a request of the app, a file without taking it into memory, and hands the answer over as it arrives.
        public func send(_ request: URLRequest, body: RequestBody) async throws -> (ResponseBytes, HTTPURLResponse) {
            var message = try Self.message(request)
            var deadline: Duration? = timeout
            if case .file(let file) = body {
                let chunks = try FileChunks(file)
                message.body = .stream(chunks, length: .known(chunks.count))
                deadline = nil
            }
            let (answer, response) = try await execute(message, by: client, deadline)
            return (ResponseBytes(answer.body.map { Data($0.readableBytesView) }), response)
        }

        /// Sends a request to a token endpoint once, and asks the server to close the connection.
        public func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
            var request = request
            // The server need not keep what nobody will use again.
            request.setValue("close", forHTTPHeaderField: "Connection")
            return try await collect(request, by: exchanges, deadline)
        }

        private func collect(
            _ request: URLRequest,
            by client: HTTPClient,
            _ deadline: Duration
        ) async throws -> (Data, HTTPURLResponse) {
            let (answer, response) = try await execute(Self.message(request), by: client, deadline)
            let body = try await answer.body.collect(upTo: ResponseBytes.largestInMemory)
            return (Data(body.readableBytesView), response)
        }

        private func execute(
            _ message: HTTPClientRequest,
            by client: HTTPClient,
            _ deadline: Duration?
        ) async throws -> (HTTPClientResponse, HTTPURLResponse) {
            let end = deadline.map { NIODeadline.now() + TimeAmount($0) } ?? .distantFuture
            let answer = try await client.execute(message, deadline: end)
            guard answer.history.count <= 1 else {
                throw SessionError.contractFault("the HTTPClient follows redirects; configure it with .disallow")
            }
            let fields = Dictionary(answer.headers.map { ($0.name, $0.value) }) { "\($0), \($1)" }
            guard let url = URL(string: message.url),
                let response = HTTPURLResponse(
                    url: url,
                    statusCode: Int(answer.status.code),
                    httpVersion: "HTTP/\(answer.version.major).\(answer.version.minor)",
                    headerFields: fields
                )
            else { throw URLError(.badServerResponse) }
            return (answer, response)
        }

        private static func message(_ request: URLRequest) throws -> HTTPClientRequest {
            guard let url = request.url else { throw URLError(.badURL) }
            // A stream can be read once only, by one thread; a file can be sent instead.
            guard request.httpBodyStream == nil else { throw URLError(.requestBodyStreamExhausted) }
            var message = HTTPClientRequest(url: url.absoluteString)
            message.method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
            for (name, value) in request.allHTTPHeaderFields ?? [:] { message.headers.add(name: name, value: value) }
            if let body = request.httpBody { message.body = .bytes(ByteBuffer(bytes: body)) }
            return message
        }
    }
#endif

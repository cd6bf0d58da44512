// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import FreshetJWT

/// The fetch with AsyncHTTPClient, from servers on a loopback port.
@Suite(.timeLimit(.minutes(5))) struct `A fetch with AsyncHTTPClient` {
    /// Runs a server with one route, and calls `body` with its URL.
    private func serve(
        _ respond: @escaping @Sendable (Request) async throws -> Response,
        _ body: @Sendable (URL) async throws -> Void
    ) async throws {
        let router = Router()
        router.get("/keys") { request, _ in try await respond(request) }
        var logger = Logger(label: "tests")
        logger.logLevel = .critical
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            logger: logger
        )
        try await application.test(.live) { client in
            let port = try #require(client.port)
            try await body(try #require(URL(string: "http://127.0.0.1:\(port)/keys")))
        }
    }

    @Test func `an issuer fetch sends the credentials, and returns as soon as the response is complete`() async throws {
        try await serve { request in
            let fields = "\(request.headers[.authorization] ?? "none") \(request.headers[.accept] ?? "none")"
            return Response(
                status: .accepted,
                headers: [.cacheControl: "max-age=60"],
                body: .init(byteBuffer: ByteBuffer(string: fields))
            )
        } _: { url in
            // The test would exceed its own time limit if the fetch waited for the timeout.
            var request = IssuerRequest(url: url, authorization: "Basic abc", timeout: .seconds(3600))
            let response = try await AsyncHTTPClientFetch.send(request)
            #expect(response.status == 202)
            #expect(response.cacheControl == "max-age=60")
            #expect(String(decoding: response.body, as: UTF8.self) == "Basic abc application/json")
            request.authorization = nil
            let other = try await AsyncHTTPClientFetch.send(request)
            #expect(String(decoding: other.body, as: UTF8.self) == "none application/json")
        }
    }

    @Test func `an issuer fetch refuses a body that is longer than the request permits`() async throws {
        try await serve { _ in
            Response(status: .ok, body: .init(byteBuffer: ByteBuffer(repeating: 0x20, count: 100_000)))
        } _: { url in
            var request = IssuerRequest(url: url, maximumLength: 100_000)
            let response = try await AsyncHTTPClientFetch.send(request)
            #expect(response.body.count == 100_000)
            request.maximumLength = 99_999
            await #expect(throws: NIOTooManyBytesError.self) { try await AsyncHTTPClientFetch.send(request) }
        }
    }

    @Test func `an issuer fetch returns a redirect instead of following it`() async throws {
        try await serve { _ in
            Response(status: .found, headers: [.location: "/keys"])
        } _: { url in
            let response = try await AsyncHTTPClientFetch.send(IssuerRequest(url: url))
            #expect(response.status == 302)
        }
    }

    @Test func `an issuer fetch stops a response that makes progress but exceeds the timeout`() async throws {
        try await serve { _ in
            let body = ResponseBody { writer in
                // Ends when the client has closed the connection.
                while true {
                    try await writer.write(ByteBuffer(string: " "))
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            return Response(status: .ok, body: body)
        } _: { url in
            let request = IssuerRequest(url: url, timeout: .seconds(1))
            await #expect(throws: IssuerFetchError.timeout) { try await AsyncHTTPClientFetch.send(request) }
        }
    }

    @Test func `an issuer fetch offers only TLS 1.2, TLS 1.3 and HTTP 1.1, and connects once`() async throws {
        let (records, received) = AsyncStream.makeStream(of: ByteBuffer.self)
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(FirstRecord { received.yield($0) })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        let url = try #require(URL(string: "https://127.0.0.1:\(port)/keys"))
        // The server closes the connection.
        await #expect(throws: (any Error).self) { try await AsyncHTTPClientFetch.send(IssuerRequest(url: url)) }
        received.finish()
        var offers: [ClientHello] = []
        for await record in records { offers.append(try #require(ClientHello(record))) }
        #expect(offers == [ClientHello(versions: [0x0304, 0x0303], protocols: ["http/1.1"])])
        try await server.close()
    }
}

/// Reads the first TLS record of a connection, and closes the connection.
private final class FirstRecord: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let onRecord: (ByteBuffer) -> Void
    private var bytes = ByteBuffer()

    init(_ onRecord: @escaping (ByteBuffer) -> Void) { self.onRecord = onRecord }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        bytes.writeBuffer(&part)
        // The type and the version are before the length.
        var record = bytes
        guard record.readBytes(length: 3) != nil, let content = record.readLengthPrefixedSlice(as: UInt16.self) else {
            return
        }
        onRecord(content)
        context.close(promise: nil)
    }
}

/// The versions and protocols in the first message of a TLS client (RFC 8446 section 4.1.2).
private struct ClientHello: Equatable {
    /// The values of `supported_versions` without reserved ones (RFC 8701).
    var versions: [UInt16] = []
    /// The names of `application_layer_protocol_negotiation` (RFC 7301).
    var protocols: [String] = []

    init(versions: [UInt16], protocols: [String]) {
        self.versions = versions
        self.protocols = protocols
    }

    /// Parses the content of a record.
    init?(_ record: ByteBuffer) {
        var buffer = record
        // The message's type and length, its version and the random number.
        guard buffer.readBytes(length: 1 + 3 + 2 + 32) != nil,
            buffer.readLengthPrefixedSlice(as: UInt8.self) != nil,  // the session ID
            buffer.readLengthPrefixedSlice(as: UInt16.self) != nil,  // the cipher suites
            buffer.readLengthPrefixedSlice(as: UInt8.self) != nil,  // the compression methods
            var extensions = buffer.readLengthPrefixedSlice(as: UInt16.self)
        else { return nil }
        while let type = extensions.readInteger(as: UInt16.self),
            var content = extensions.readLengthPrefixedSlice(as: UInt16.self)
        {
            switch type {
            case 43:
                guard var list = content.readLengthPrefixedSlice(as: UInt8.self) else { return nil }
                while let version = list.readInteger(as: UInt16.self) {
                    if version & 0x0F0F != 0x0A0A { versions.append(version) }
                }
            case 16:
                guard var list = content.readLengthPrefixedSlice(as: UInt16.self) else { return nil }
                while let name = list.readLengthPrefixedSlice(as: UInt8.self) { protocols.append(String(buffer: name)) }
            default: break
            }
        }
    }
}

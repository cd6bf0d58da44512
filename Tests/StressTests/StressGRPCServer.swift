// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import GRPCCore
import GRPCNIOTransportHTTP2Posix

@testable import StressWorker

/// Serves a stress backend over gRPC on a loopback port.
struct StressGRPCServer: RegistrableRPCService {
    static let unary = MethodDescriptor(fullyQualifiedService: "stress.Stress", method: "Unary", type: .unary)
    static let streaming = MethodDescriptor(
        fullyQualifiedService: "stress.Stress",
        method: "Streaming",
        type: .serverStreaming
    )

    let backend: StressBackend

    /// Serves for as long as `body` runs, which gets a client of the server.
    static func run(_ backend: StressBackend, _ body: (StressGRPCClient) async throws -> Void) async throws {
        let listener = HTTP2ServerTransport.Posix(
            address: .ipv4(host: "127.0.0.1", port: 0),
            transportSecurity: .plaintext
        )
        let server = GRPCServer(transport: listener, services: [StressGRPCServer(backend: backend)])
        async let serving: Void = server.serve()
        guard let port = try await listener.listeningAddress.ipv4?.port else {
            throw RPCError(code: .unavailable, message: "the server has no port")
        }
        let client = try StressGRPCClient(port: port)
        async let connecting: Void = client.connect()
        let result: Result<Void, any Error>
        do { result = .success(try await body(client)) } catch { result = .failure(error) }
        client.shutDown()
        server.beginGracefulShutdown()
        try await connecting
        try await serving
        try result.get()
    }

    func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
        for method in [Self.unary, Self.streaming] {
            router.registerHandler(
                forMethod: method,
                deserializer: PlainText(),
                serializer: PlainText(),
                handler: { request, _ in await self.answer(request, in: method == Self.streaming ? 3 : 1) }
            )
        }
    }

    private func answer(_ request: StreamingServerRequest<String>, in parts: Int) async -> StreamingServerResponse<
        String
    > {
        var headers: [String: String] = [:]
        for (key, value) in request.metadata { if case .string(let text) = value { headers[key.lowercased()] = text } }
        backend.journal.count("gRPC attempts")
        let reply = await backend.answer(
            StressRequest(method: "POST", path: "/v1/grpc", headers: headers, body: .init())
        )
        switch reply?.status {
        case 200?:
            let text = reply?.body ?? ""
            return StreamingServerResponse { writer in
                for _ in 0..<parts { try await writer.write(text) }
                return [:]
            }
        case 401?: return StreamingServerResponse(error: RPCError(code: .unauthenticated, message: "invalid token"))
        default: return StreamingServerResponse(error: RPCError(code: .unavailable, message: "away"))
        }
    }
}

/// Messages that are text.
struct PlainText: MessageSerializer, MessageDeserializer {
    func serialize<Bytes: GRPCContiguousBytes>(_ message: String) -> Bytes { Bytes(message.utf8) }

    func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) -> String {
        bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}

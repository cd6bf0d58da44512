// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetGRPC
import FreshetKit
import FreshetTesting
import GRPCCore
import GRPCInProcessTransport

/// A gRPC server in this process that takes the token `access-2` only, and what calls it.
final class Calls: RegistrableRPCService, @unchecked Sendable {
    private static let unary = MethodDescriptor(fullyQualifiedService: "test.Test", method: "Unary", type: .unary)
    private static let streaming = MethodDescriptor(
        fullyQualifiedService: "test.Test",
        method: "Streaming",
        type: .clientStreaming
    )

    private let lock = NSLock()
    private var tokens: [String] = []
    private var refusesEverything = false
    /// The errors of the next calls, in order; `nil` checks the token.
    private var failures: [RPCError.Code?] = []
    /// Runs before a call is answered.
    private var interruption: (@Sendable () async throws -> Void)?
    private let transport = InProcessTransport()
    /// The cause of the last refusal.
    private(set) var lastCause: SessionError?

    /// Runs a server, and the calls to it.
    static func run(_ body: @Sendable @escaping (Calls) async throws -> Void) async throws {
        let calls = Calls()
        let server = GRPCServer(transport: calls.transport.server, services: [calls])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.serve() }
            group.addTask { try await calls.transport.client.connect() }
            try await body(calls)
            calls.transport.client.beginGracefulShutdown()
            server.beginGracefulShutdown()
            try await group.waitForAll()
        }
    }

    // MARK: The server

    func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
        for method in [Self.unary, Self.streaming] {
            router.registerHandler(
                forMethod: method,
                deserializer: Text(),
                serializer: Text(),
                handler: { request, _ in try await self.answer(request) }
            )
        }
    }

    private func answer(_ request: StreamingServerRequest<String>) async throws -> StreamingServerResponse<String> {
        let header = request.metadata[stringValues: "authorization"].first { _ in true } ?? ""
        let token = header.replacing("Bearer ", with: "")
        let isTaken = lock.withLock {
            tokens.append(token)
            return token == "access-2" && !refusesEverything
        }
        let (failure, interruption) = lock.withLock {
            (failures.isEmpty ? nil : failures.removeFirst(), self.interruption.take())
        }
        try await interruption?()
        if let failure { return StreamingServerResponse(error: RPCError(code: failure, message: "told to")) }
        guard isTaken else {
            return StreamingServerResponse(error: RPCError(code: .unauthenticated, message: "invalid token"))
        }
        var text = ""
        for try await message in request.messages { text += message }
        let answer = text.isEmpty ? token : "\(token): \(text)"
        return StreamingServerResponse { writer in
            try await writer.write(answer)
            return [:]
        }
    }

    /// Fails the next calls, and runs `interruption` before the first of them is answered.
    func fail(_ codes: [RPCError.Code?], _ interruption: (@Sendable () async throws -> Void)? = nil) {
        lock.withLock { (failures, self.interruption) = (codes, interruption) }
    }

    func refuse(everything: Bool) { lock.withLock { refusesEverything = everything } }

    /// The tokens that came since this was asked last.
    func seen() -> [String] {
        lock.withLock {
            defer { tokens = [] }
            return tokens
        }
    }

    // MARK: The app

    /// A session whose token, `access-1`, the server no longer takes.
    func session() async throws -> (AuthSession, TestBackend) {
        let backend = TestBackend()
        guard let base = URL(string: "https://api.example.com") else { throw URLError(.badURL) }
        var configuration = AuthSession.Configuration()
        configuration.refreshPolicy.minimumInterval = .zero
        let session = try AuthSession(
            baseURL: base,
            store: InMemoryStore(),
            configuration: configuration,
            transport: backend
        )
        try await session.signIn(.password(email: "ada@example.com", password: "correct horse"))
        return (session, backend)
    }

    func unary(
        _ session: AuthSession,
        by interceptor: SessionInterceptor? = nil,
        _ policy: RetryPolicy = .afterRefresh
    ) async throws -> String {
        try await call(session, Self.unary, { try await $0.write("") }, by: interceptor, policy) { $0.type == .unary }
    }

    /// - Returns: The code with which a call was refused.
    func code(
        _ session: AuthSession,
        by interceptor: SessionInterceptor? = nil,
        _ policy: RetryPolicy = .afterRefresh
    ) async throws -> RPCError.Code? {
        do {
            _ = try await unary(session, by: interceptor, policy)
            return nil
        } catch let error as RPCError {
            lastCause = error.cause as? SessionError
            return error.code
        }
    }

    /// A policy of an app that also tries again when the server is away.
    static var unavailablePolicy: RetryPolicy {
        RetryPolicy(
            maxAttempts: 5,
            initialBackoff: .milliseconds(1),
            maxBackoff: .milliseconds(1),
            backoffMultiplier: 1,
            retryableStatusCodes: [.unavailable, .unauthenticated]
        )
    }

    func interceptor(_ session: AuthSession) throws -> SessionInterceptor {
        guard let origin = URL(string: "https://api.example.com") else { throw URLError(.badURL) }
        return try SessionInterceptor(session: session, origin: origin)
    }

    /// - Returns: `nil` if it was refused.
    func stream(
        _ session: AuthSession,
        replay: (@Sendable (MethodDescriptor) -> Bool)? = nil
    ) async throws -> String? {
        do {
            return try await call(
                session,
                Self.streaming,
                { writer in
                    for text in ["a", "b", "c"] { try await writer.write(text) }
                },
                replay: { replay?($0) ?? ($0.type?.isRequestStreaming == false) }
            )
        } catch let error as RPCError where error.code == .unauthenticated { return nil }
    }

    private func call(
        _ session: AuthSession,
        _ method: MethodDescriptor,
        _ producer: @escaping @Sendable (RPCWriter<String>) async throws -> Void,
        by interceptor: SessionInterceptor? = nil,
        _ policy: RetryPolicy = .afterRefresh,
        replay: @escaping @Sendable (MethodDescriptor) -> Bool
    ) async throws -> String {
        guard let origin = URL(string: "https://api.example.com") else { throw URLError(.badURL) }
        let interceptor =
            try interceptor ?? SessionInterceptor(session: session, origin: origin, allowsReplay: replay)
        let client = GRPCClient(transport: transport.client, interceptors: [interceptor])
        var options = CallOptions.defaults
        options.executionPolicy = .retry(policy)
        return try await client.bidirectionalStreaming(
            request: StreamingClientRequest(producer: producer),
            descriptor: method,
            serializer: Text(),
            deserializer: Text(),
            options: options
        ) { response in
            var text = ""
            for try await message in response.messages { text += message }
            return text
        }
    }

    /// Asks the interceptor itself: this transport's peer is always on this machine.
    func expectSecrecyWithoutTLS() async throws {
        guard let origin = URL(string: "http://127.0.0.1:1") else { throw URLError(.badURL) }
        let backend = TestBackend()
        let session = try AuthSession(baseURL: origin, store: InMemoryStore(), transport: backend)
        try await session.signIn(.password(email: "ada@example.com", password: "correct horse"))
        let interceptor = try SessionInterceptor(session: session, origin: origin)
        for (peer, isAllowed) in [("ipv4:127.0.0.1:1", true), ("ipv4:192.0.2.1:1", false), ("dns:127.evil", false)] {
            let context = ClientContext(descriptor: Self.unary, remotePeer: peer, localPeer: "")
            let request = StreamingClientRequest<String> { _ in }
            do {
                let response: StreamingClientResponse<String> = try await interceptor.intercept(
                    request: request,
                    context: context
                ) { request, _ in
                    guard isAllowed else { throw Failure(what: "the token left for \(peer)") }
                    guard Array(request.metadata[stringValues: "authorization"]) == ["Bearer access-1"] else {
                        throw Failure(what: "no token for \(peer)")
                    }
                    return StreamingClientResponse(error: RPCError(code: .notFound, message: ""))
                }
                guard isAllowed, case .failure(let error) = response.accepted, error.code == .notFound else {
                    throw Failure(what: "the token left for \(peer)")
                }
            } catch let error as RPCError where error.code == .permissionDenied && !isAllowed {}
        }
    }
}

/// Messages that are text.
struct Text: MessageSerializer, MessageDeserializer {
    func serialize<Bytes: GRPCContiguousBytes>(_ message: String) -> Bytes { Bytes(message.utf8) }

    func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) -> String {
        bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}

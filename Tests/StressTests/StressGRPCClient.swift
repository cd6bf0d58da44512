// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import GRPCCore
import GRPCNIOTransportHTTP2Posix

@testable import StressWorker

/// One connection to a gRPC server, and clients with a session's interceptor on it.
struct StressGRPCClient: Sendable {
    typealias Client = GRPCClient<HTTP2ClientTransport.Posix>

    private let transport: HTTP2ClientTransport.Posix
    /// The server's host and port, which may see a session's token.
    let host: String
    private let origin: URL
    /// As an app's own: it also retries what the server could not answer.
    private static let policy = RetryPolicy(
        maxAttempts: 5,
        initialBackoff: .milliseconds(1),
        maxBackoff: .milliseconds(20),
        backoffMultiplier: 2,
        retryableStatusCodes: [.unavailable, .unauthenticated]
    )

    init(port: Int) throws {
        host = "127.0.0.1:\(port)"
        guard let origin = URL(string: "http://\(host)") else { throw URLError(.badURL) }
        self.origin = origin
        transport = try HTTP2ClientTransport.Posix(
            target: .ipv4(address: "127.0.0.1", port: port),
            transportSecurity: .plaintext
        )
    }

    func connect() async throws { try await transport.connect() }
    func shutDown() { transport.beginGracefulShutdown() }

    func client(for session: AuthSession) throws -> Client {
        GRPCClient(transport: transport, interceptors: [try SessionInterceptor(session: session, origin: origin)])
    }

    /// Calls a method, with the operation that runs in this task.
    func call(_ method: MethodDescriptor, by client: Client) async throws {
        var request = ClientRequest(message: "question")
        if let operation = LabellingTransport.operation {
            request.metadata.addString(operation, forKey: StressRequest.label)
        }
        var options = CallOptions.defaults
        options.executionPolicy = .retry(Self.policy)
        try await client.serverStreaming(
            request: request,
            descriptor: method,
            serializer: PlainText(),
            deserializer: PlainText(),
            options: options
        ) { response in for try await _ in response.messages {} }
    }
}

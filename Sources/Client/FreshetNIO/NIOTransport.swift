// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import AsyncHTTPClient
package import Foundation
package import FreshetKit
import NIOConcurrencyHelpers
import NIOCore
import NIOSSL

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// Sends requests with SwiftNIO.
///
/// On Linux a request takes half of the instructions that it takes with URLSession, and none is repeated silently after a lost
/// connection.
package struct NIOTransport: HTTPTransport {
    /// The clients are kept until the process exits, which suits the command-line tool.
    private static let shared = AsyncHTTPClientTransport(configuration: configuration)
    private static let lastRefusal = NIOLockedValueBox<CertificateRefusal?>(nil)
    /// The last refusal of a server's certificate in this process.
    ///
    /// A session reports it as an unreachable server, because a captive portal has no trusted certificate, either.
    package static var certificateRefusal: CertificateRefusal? { lastRefusal.withLockedValue { $0 } }
    private static var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        // The connect timeout also applies to waiting for a free connection. Such a wait does not indicate a problem of
        // the server, so only the request's own timeout should end it.
        configuration.timeout.connect = .hours(1)
        configuration.httpVersion = .http1Only
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let authorities = authorities.withLockedValue({ $0 }) { tls.trustRoots = .file(authorities.file) }
        configuration.tlsConfiguration = tls
        return configuration
    }

    private static let authorities = NIOLockedValueBox(TrustedAuthorities.inEnvironment)

    /// Trusts these authorities instead of those in the environment, for all transports of this process.
    ///
    /// Has no effect after the first request.
    package static func trust(_ trusted: TrustedAuthorities) { authorities.withLockedValue { $0 = trusted } }

    private let transport: AsyncHTTPClientTransport

    /// Creates a transport, which shares its clients with other instances.
    ///
    /// - Parameter timeout: The timeout of a response's head, for requests of the app.
    package init(timeout: Duration = .seconds(60)) { transport = Self.shared.with(timeout: timeout) }

    package func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await Self.recordingRefusal(of: request) { try await transport.data(for: request) }
    }

    package func send(_ request: URLRequest, body: HTTPRequestBody) async throws -> (ResponseBytes, HTTPURLResponse) {
        try await Self.recordingRefusal(of: request) { try await transport.send(request, body: body) }
    }

    package func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
        try await Self.recordingRefusal(of: request) { try await transport.exchange(request, deadline: deadline) }
    }

    private static func recordingRefusal<Value>(
        of request: URLRequest,
        _ body: () async throws -> Value
    ) async throws -> Value {
        do { return try await body() } catch {
            if let refusal = CertificateRefusal(error, request.url, authorities: authorities.withLockedValue { $0 }) {
                lastRefusal.withLockedValue { $0 = refusal }
            }
            throw error
        }
    }
}

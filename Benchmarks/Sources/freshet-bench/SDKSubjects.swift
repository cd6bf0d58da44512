// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The measured operations: the same request with and without a session, over each transport.
struct SDKSubjects: Sendable {
    let url: URL
    let request: URLRequest
    /// The same request for who has no session: it carries the token from the beginning.
    let authorized: URLRequest
    private let bare = URLSession(configuration: configuration)
    private let delegate: DelegatedCalls
    private let delegated: URLSession
    private let session: AuthSession
    private let clients: AsyncHTTPClientCalls

    private static let token = String(repeating: "t", count: 400)

    init(port: UInt16) async throws {
        guard let url = URL(string: "http://127.0.0.1:\(port)/") else { throw BenchmarkError("no URL") }
        self.url = url
        let (request, authorized) = Self.requests(to: url)
        (self.request, self.authorized) = (request, authorized)
        delegate = DelegatedCalls()
        delegated = URLSession(configuration: Self.configuration, delegate: delegate, delegateQueue: nil)
        session = try await Self.signedIn(at: url, over: URLSessionTransport())
        clients = try AsyncHTTPClientCalls(url: url.appending(path: "v1/me"), token: Self.token, session: session)
    }

    func call(_ kind: CountedCalls.Kind) -> @Sendable () async throws -> Void {
        switch kind {
        case .urlSession: { [bare, authorized] in _ = try await bare.data(for: authorized) }
        case .delegatedURLSession:
            { [delegate, delegated, authorized] in _ = try await delegate.data(for: authorized, with: delegated) }
        case .sessionOverURLSession: { [session, request] in _ = try await session.data(for: request) }
        case .httpClient: { [clients] in try await clients.bare() }
        case .sessionOverHTTPClient: { [clients] in try await clients.withSession() }
        case .validToken: { [session] in _ = try await session.accessToken() }
        }
    }

    func shutDown() async throws { try await clients.shutDown() }

    /// Sets the header, as an app without the SDK does for each request.
    func setHeader() {
        var request = request
        request.setValue("Bearer \(Self.token)", forHTTPHeaderField: "Authorization")
    }

    static func signedIn(at url: URL, over transport: any HTTPTransport) async throws -> AuthSession {
        let session = try AuthSession(baseURL: url, store: InMemoryStore(), transport: transport)
        try await session.signIn(
            .tokens(TokenGrant(accessToken: token, refreshToken: refreshToken, expiresIn: .seconds(3600)))
        )
        return session
    }

    private static func requests(to url: URL) -> (URLRequest, URLRequest) {
        let request = URLRequest(url: url.appending(path: "v1/me"))
        var authorized = request
        authorized.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return (request, authorized)
    }

    /// As the SDK's own transport has it.
    private static var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        return configuration
    }

    /// It has the form of one, and nobody will see it: version, key, session, generation, branch and a MAC of nothing.
    private static var refreshToken: String {
        let bytes = Data([1, 1] + [UInt8](repeating: 0, count: 16 + 2 + 32))
        return "frt_" + bytes.base64EncodedString().replacing("=", with: "")
    }
}

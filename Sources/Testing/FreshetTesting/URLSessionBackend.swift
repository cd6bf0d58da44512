// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
public import FreshetKit

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A bridge that answers requests of a `URLSession` with an in-process backend.
///
///     let wire = URLSessionBackend(TestBackend())
///     let client = MyClient(baseURL: wire.baseURL, session: URLSession(configuration: wire.configuration))
///
/// Requests of such a session to ``baseURL`` reach the backend; requests to other hosts fail with
/// `URLError.cannotFindHost`, so that no request leaves the process. The backend is retained until the process exits,
/// so that a test needs to keep only ``configuration``. Redirects are not followed: the session receives the 3xx
/// response.
public final class URLSessionBackend: Sendable {
    /// The URL of the backend, with a unique host, so that concurrent tests do not interfere.
    public let baseURL: URL

    /// Registers `backend` under a unique host.
    public init(_ backend: any HTTPTransport) throws {
        let host = "\(UUID().uuidString.lowercased()).test"
        guard let url = URL(string: "https://\(host)") else { throw URLError(.badURL) }
        baseURL = url
        BackendURLProtocol.backends.withLock { $0[host] = backend }
    }

    /// The configuration of a session that reaches the backend; a test may add settings to it.
    public var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [BackendURLProtocol.self]
        return configuration
    }
}

/// A URL protocol that answers each request with the backend registered for its host.
private final class BackendURLProtocol: URLProtocol {
    static let backends = Locked<[String: any HTTPTransport]>([:])

    private let work = Locked<Task<Void, Never>?>(nil)

    /// Accepts every request, because a declined request would be sent to the network.
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    private static func backend(for request: URLRequest) -> (any HTTPTransport)? {
        guard let host = request.url?.host?.lowercased() else { return nil }
        return backends.withLock { $0[host] }
    }

    override func startLoading() {
        let load = LoadTask(of: self)
        let task = Task { await load.run() }
        work.withLock { $0 = task }
    }

    /// The system passes each request to its own protocol instance, and only this task uses the instance.
    private struct LoadTask: @unchecked Sendable {
        let subject: BackendURLProtocol

        init(of subject: BackendURLProtocol) { self.subject = subject }

        func run() async { await subject.load() }
    }

    override func stopLoading() { work.withLock { $0 }?.cancel() }

    private func load() async {
        do {
            guard let backend = Self.backend(for: request) else { throw URLError(.cannotFindHost) }
            let (data, response) = try await backend.data(for: try await request.withBufferedBody())
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(self, didLoad: data)
            client?.urlProtocolDidFinishLoading(self)
        } catch {
            client?.urlProtocol(self, didFailWithError: error as? URLError ?? URLError(.networkConnectionLost))
        }
    }
}

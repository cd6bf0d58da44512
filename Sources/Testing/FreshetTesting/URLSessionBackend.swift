// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
public import FreshetKit

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Lets a backend of this process answer code that insists on `URLSession`.
///
///     let wire = URLSessionBackend(AppBackend(.creatist))
///     let client = MyClient(baseURL: wire.baseURL, session: URLSession(configuration: wire.configuration))
///
/// Requests of such a session to ``baseURL`` reach the backend, and requests to other hosts fail with
/// `URLError.cannotFindHost`: none leaves the process. The backend stays until the process ends, so that only
/// ``configuration`` need be kept. Redirects are handed over as answers.
public final class URLSessionBackend: Sendable {
    /// A host of its own, so that tests that run at the same time do not meet.
    public let baseURL: URL

    /// Lets `backend` answer.
    public init(_ backend: any HTTPTransport) throws {
        let host = "\(UUID().uuidString.lowercased()).test"
        guard let url = URL(string: "https://\(host)") else { throw URLError(.badURL) }
        baseURL = url
        BackendURLProtocol.backends.withLock { $0[host] = backend }
    }

    /// What to make a session with, or to put your own settings into.
    public var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [BackendURLProtocol.self]
        return configuration
    }
}

/// Hands a request of `URLSession` to the backend that its host names.
private final class BackendURLProtocol: URLProtocol {
    static let backends = Locked<[String: any HTTPTransport]>([:])

    private let work = Locked<Task<Void, Never>?>(nil)

    /// All that such a session sends: what is not for a backend would go to the network.
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    private static func backend(for request: URLRequest) -> (any HTTPTransport)? {
        guard let host = request.url?.host?.lowercased() else { return nil }
        return backends.withLock { $0[host] }
    }

    override func startLoading() {
        let load = Load(of: self)
        let task = Task { await load.run() }
        work.withLock { $0 = task }
    }

    /// The system hands one request to one object; what begins here is the only thing that happens to it.
    private struct Load: @unchecked Sendable {
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

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Carries requests with `URLSession`.
public struct URLSessionTransport: HTTPTransport {
    private let pool: Pool

    /// Requests of the app wait `timeout` at most between two packets.
    public init(timeout: Duration = .seconds(60)) {
        pool = Pool(timeout: timeout)
    }

    /// Sends a request of the app on a pooled connection.
    public func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await Self.send(request, with: pool.session)
    }

    /// Sends a request once, on a connection of its own that is closed afterwards.
    public func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
        let session = Self.makeSession(timeout: deadline)
        defer { session.invalidateAndCancel() }
        var request = request
        request.timeoutInterval = deadline.inSeconds
        request.setValue("close", forHTTPHeaderField: "Connection")
        return try await Self.send(request, with: session)
    }

    private static func send(
        _ request: URLRequest,
        with session: URLSession
    ) async throws -> (Data, HTTPURLResponse) {
        let (data, response) = try await session.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return (data, response)
    }

    private static func makeSession(timeout: Duration) -> URLSession {
        // Ephemeral, and without cookies and caches: nothing of an answer may outlive it on disk.
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = timeout.inSeconds
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        return URLSession(configuration: configuration, delegate: RedirectRefusal(), delegateQueue: nil)
    }

    /// Owns the pooled session, which holds its delegate until it is told to end.
    private final class Pool: Sendable {
        let session: URLSession

        init(timeout: Duration) { session = URLSessionTransport.makeSession(timeout: timeout) }
        deinit { session.finishTasksAndInvalidate() }
    }

    /// The delegate of the whole session: on Linux a delegate of a single task is not asked.
    private final class RedirectRefusal: NSObject, URLSessionTaskDelegate, Sendable {
        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }
    }
}

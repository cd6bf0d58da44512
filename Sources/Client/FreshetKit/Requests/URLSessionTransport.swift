// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Carries requests with `URLSession`.
///
/// On Linux, `URLSession` cannot stop what a server sends. A streamed answer that is read slowly waits in memory up to
/// 1 MiB and beyond that in a file without a name in the folder for temporary files; on Apple's systems the server waits.
/// What arrives faster than that folder's disk takes it waits in memory all the same, and so does the body of a redirect,
/// which `URLSession` itself collects.
///
/// On Linux a response with a trailer section ends the process: Foundation takes a trailer for a second head and traps. While
/// `URLSession` waits for any response there it polls, at the cost of a large part of a core. For Linux, choose the transport of
/// `FreshetAsyncHTTPClient` (trait `AsyncHTTPClient`), which does neither.
///
/// On Linux, too, `URLSession` sends a request again, without its body, if a kept connection ends before the answer. That
/// concerns requests of the app and no refresh. A server should refuse such a request, and a request that must not happen
/// twice needs an idempotency key.
public struct URLSessionTransport: HTTPTransport {
    private let pool: Pool

    /// Requests of the app wait `timeout` at most between two packets.
    public init(timeout: Duration = .seconds(60)) {
        pool = Pool(timeout: timeout)
    }

    /// Sends a request of the app on a pooled connection.
    public func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let task = pool.session.dataTask(with: Self.framed(request))
        let answer = BufferedResponse(limit: ResponseBytes.largestInMemory, keepsPartialRefusals: true) {
            task.cancelAsynchronously()
        }
        return try await Self.run(task, pool.delegate, answer) { try await answer.value() }
    }

    /// Sends a request of the app on a pooled connection, a file without taking it into memory.
    public func send(_ request: URLRequest, body: HTTPRequestBody) async throws -> (ResponseBytes, HTTPURLResponse) {
        let task: URLSessionTask
        switch body {
        case .inRequest: task = pool.session.dataTask(with: Self.framed(request))
        case .file(let file):
            // Some versions end the program on a file that is not there.
            guard FileManager.default.isReadableFile(atPath: file.path) else { throw URLError(.cannotOpenFile) }
            task = pool.session.uploadTask(with: request, fromFile: file)
        }
        let transfer = StreamedResponse(task)
        let response = try await Self.run(task, pool.delegate, transfer) { try await transfer.head.value().get() }
        return (ResponseBytes(transfer.body), response)
    }

    /// Sends a request once, on a connection of its own that is closed afterwards.
    public func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
        let delegate = TransferDelegate()
        let session = Self.makeSession(timeout: deadline, delegate)
        // Nothing runs by then but what was cancelled; and on Linux, `invalidateAndCancel` reads a session's tasks while
        // another thread removes them, which ends the program now and then.
        defer { session.finishTasksAndInvalidate() }
        var request = request
        request.timeoutInterval = deadline.inSeconds
        request.setValue("close", forHTTPHeaderField: "Connection")
        let task = session.dataTask(with: request)
        let answer = BufferedResponse(limit: ResponseBytes.largestExchange, keepsPartialRefusals: false) {
            task.cancelAsynchronously()
        }
        return try await Self.run(task, delegate, answer) { try await answer.value() }
    }

    /// Starts a task, and waits for what its receiver brings.
    ///
    /// Not by `URLSession.data(for:)`, which has no limit. On Linux, who is cancelled there while the answer arrives waits for
    /// URLSession's queue with the lock that this very queue waits for, and neither ever goes on.
    private static func run<Value>(
        _ task: URLSessionTask,
        _ delegate: TransferDelegate,
        _ receiver: any ResponseReceiver,
        until value: () async throws -> Value
    ) async throws -> Value {
        delegate.watch(task, for: receiver)
        return try await withTaskCancellationHandler {
            task.resume()
            return try await value()
        } onCancel: {
            task.cancelAsynchronously()
            // Not every version tells the delegate of a task that was never started.
            receiver.finish(CancellationError())
        }
    }

    /// On Linux, a stream is always sent in chunks, and a length beside that makes two requests of one for some servers
    /// (RFC 9112 section 6.2).
    private static func framed(_ request: URLRequest) -> URLRequest {
        #if !canImport(Darwin)
            if request.httpBodyStream != nil, request.value(forHTTPHeaderField: "Content-Length") != nil {
                var request = request
                request.setValue(nil, forHTTPHeaderField: "Content-Length")
                return request
            }
        #endif
        return request
    }

    private static func makeSession(timeout: Duration, _ delegate: TransferDelegate) -> URLSession {
        // Ephemeral, and without cookies and caches: nothing of an answer may outlive it on disk.
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = timeout.inSeconds
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    /// Owns the pooled session, which holds its delegate until it is told to end.
    private final class Pool: Sendable {
        let delegate = TransferDelegate()
        let session: URLSession

        init(timeout: Duration) { session = URLSessionTransport.makeSession(timeout: timeout, delegate) }
        deinit { session.finishTasksAndInvalidate() }
    }
}

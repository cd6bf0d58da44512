// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Sends requests with `URLSession`.
///
/// On Linux, `URLSession` has no backpressure. A streamed response that is read slowly is buffered in memory up to 1
/// MiB, and beyond that in an unlinked file in the temporary directory; on Apple's systems the server is slowed down.
/// Data that arrives faster than the disk can write is nevertheless buffered in memory, and so is the body of a
/// redirect, which `URLSession` itself collects.
///
/// On Linux a response with a trailer section crashes the process: Foundation takes a trailer for a second head and
/// traps. While `URLSession` waits for a response there, it polls, at the cost of a large part of a core. For Linux,
/// choose the transport of `FreshetAsyncHTTPClient` (trait `AsyncHTTPClient`), which does neither.
///
/// On Linux, `URLSession` also sends a request again, without its body, if a kept-alive connection closes before the
/// response. This affects the app's requests, but not refreshes. A server should refuse such a request, and a request
/// that must not be processed twice needs an idempotency key.
///
/// ## Configuration and delegate of the app
///
/// ``init(configuration:delegate:)`` uses a configuration of the app for all requests, refreshes included, except for
/// what the SDK decides:
///
/// - Cookies, caches and credential storages are not used. `Authorization` and `Cookie` are removed from
///   `httpAdditionalHeaders`.
/// - A refresh has a `URLSession` and a connection of its own. Its timeouts are those of the session's configuration,
///   and it does not wait for connectivity: without a network it fails at once, and the session tries again.
/// - Redirects are not followed by `URLSession`, but by the session, which sends the token to its own origin only.
///
/// The app's delegate receives these events, on a queue of the `URLSession`:
///
/// - Challenges of TLS (server trust and client certificates, as for certificate pinning) and of proxies. Those of a
///   connection go to `urlSession(_:didReceive:completionHandler:)`, or if the delegate does not implement it, to
///   `urlSession(_:task:didReceive:completionHandler:)`, like those of a proxy.
/// - `urlSession(_:didCreateTask:)`, `urlSession(_:taskIsWaitingForConnectivity:)`,
///   `urlSession(_:task:didSendBodyData:totalBytesSent:totalBytesExpectedToSend:)` and
///   `urlSession(_:task:didFinishCollecting:)`.
///
/// It does not receive responses, data and completions, which the caller gets; redirects; a server's own challenges,
/// such as Basic, because a credential would replace the token; requests for a new body stream, because the session
/// decides which requests are sent again; nor the end of a `URLSession`, because the SDK creates one for each refresh.
/// It must not cancel the tasks nor invalidate the sessions that it is given.
///
/// On Linux, Foundation checks certificates itself and asks no delegate, so certificates cannot be pinned. It neither
/// collects metrics nor waits for connectivity. It ignores `connectionProxyDictionary`, and uses the proxies that the
/// environment variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` name. Protocol classes, additional
/// headers, timeouts and the progress of uploads work.
public struct URLSessionTransport: HTTPTransport {
    /// The reason that a configuration cannot be used.
    @nonexhaustive
    public enum ConfigurationError: Error, Sendable, Equatable {
        /// The configuration is one of a background session.
        ///
        /// In such a session, the system runs transfers without the app.
        case background
    }

    private let configuration: URLSessionConfiguration
    private let app: AppSessionDelegate
    private let pool: Pool

    /// Creates a transport whose app requests time out after `timeout` without progress.
    public init(timeout: Duration = .seconds(60)) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = timeout.inSeconds
        self.init(using: configuration, AppSessionDelegate(nil))
    }

    /// Creates a transport that uses a configuration and a delegate of the app.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of all requests; it is copied.
    ///   - delegate: Receives the events named above; it is retained until the last copy of the transport is released
    ///     and its requests have ended.
    /// - Throws: ``ConfigurationError/background`` for the configuration of a background session.
    public init(
        configuration: URLSessionConfiguration,
        delegate: (any URLSessionDelegate)? = nil
    ) throws(ConfigurationError) {
        guard configuration.identifier == nil else { throw .background }
        self.init(using: configuration, AppSessionDelegate(delegate))
    }

    private init(using configuration: URLSessionConfiguration, _ app: AppSessionDelegate) {
        self.configuration = configuration.withoutStoredState
        self.app = app
        pool = Pool(self.configuration, app)
    }

    /// Sends a request of the app on a pooled connection.
    public func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let task = pool.session.dataTask(with: Self.framed(request))
        let answer = BufferedResponse(limit: ResponseBytes.largestInMemory, keepsPartialRefusals: true) {
            task.cancelAsynchronously()
        }
        return try await Self.run(task, pool.delegate, answer) { try await answer.value() }
    }

    /// Sends a request of the app on a pooled connection; a file is not loaded into memory.
    public func send(_ request: URLRequest, body: HTTPRequestBody) async throws -> (ResponseBytes, HTTPURLResponse) {
        let task: URLSessionTask
        switch body {
        case .inRequest: task = pool.session.dataTask(with: Self.framed(request))
        case .file(let file):
            // Some versions crash on a missing file.
            guard FileManager.default.isReadableFile(atPath: file.path) else { throw URLError(.cannotOpenFile) }
            task = pool.session.uploadTask(with: request, fromFile: file)
        }
        let transfer = StreamedResponse(task)
        let response = try await Self.run(task, pool.delegate, transfer) { try await transfer.head.value().get() }
        return (ResponseBytes(transfer.body), response)
    }

    /// Sends a request once, on a new connection that is closed afterwards.
    public func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
        let delegate = TransferDelegate(app)
        let configuration = configuration.forExchange(deadline: deadline)
        let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        // Only cancelled tasks are left by then; and on Linux, `invalidateAndCancel` reads a session's tasks while
        // another thread removes them, which crashes the process now and then.
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

    /// Starts a task, and waits for its receiver's result.
    ///
    /// `URLSession.data(for:)` is not used, because it has no limit. On Linux, cancelling it while the response arrives
    /// deadlocks: the canceller holds the task's lock and waits for `URLSession`'s queue, which waits for that lock.
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
            // Some versions do not notify the delegate of a task that was never started.
            receiver.finish(CancellationError())
        }
    }

    /// Removes `Content-Length` from a request with a body stream, on Linux.
    ///
    /// There a stream is always chunked, and with a length as well some servers see two requests (RFC 9112 section
    /// 6.2).
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

    /// Owns the pooled session, which retains its delegate until it is invalidated.
    private final class Pool: Sendable {
        let delegate: TransferDelegate
        let session: URLSession

        init(_ configuration: URLSessionConfiguration, _ app: AppSessionDelegate) {
            delegate = TransferDelegate(app)
            session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        }

        deinit { session.finishTasksAndInvalidate() }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Dispatch
internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Receives the events of one WebSocket task: its opening and its end, and passes others to the app's delegate.
final class WebSocketTaskDelegate: NSObject, URLSessionWebSocketDelegate, Sendable {
    /// The result of the handshake.
    let opening = FirstResult<Result<Void, WebSocketError>>()
    private let app: AppSessionDelegate

    init(_ app: AppSessionDelegate) { self.app = app }

    func urlSession(
        _ session: URLSession,
        webSocketTask: URLSessionWebSocketTask,
        didOpenWithProtocol protocol: String?
    ) {
        opening.finish(with: .success(()))
    }

    /// Empty, because the reader gets the error; on Linux the protocol requires this method.
    func urlSession(
        _ session: URLSession,
        webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode,
        reason: Data?
    ) {}

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        opening.finish(with: .failure(Self.reason(task.response, error)))
    }

    /// Rejects a redirect: another origin must not see the token.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    /// Asks the app's delegate about TLS and proxies, and takes a server's own challenge for a refusal.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard !app.answers(challenge) else {
            return app.answer(challenge, of: task, in: session, completionHandler: completionHandler)
        }
        #if canImport(Darwin)
            completionHandler(.performDefaultHandling, nil)
        #else
            // Without a credential the default handling never ends the task here.
            opening.finish(with: .failure(Self.reason(challenge.failureResponse, nil)))
            DispatchQueue.global().async { completionHandler(.cancelAuthenticationChallenge, nil) }
        #endif
    }

    #if canImport(Darwin)
        func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) { app.didCreate(task, in: session) }

        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            didFinishCollecting metrics: URLSessionTaskMetrics
        ) {
            app.didCollect(metrics, of: task, in: session)
        }
    #endif

    private static func reason(_ response: URLResponse?, _ error: (any Error)?) -> WebSocketError {
        if let answer = response as? HTTPURLResponse, answer.statusCode != 101 {
            var headers: [String: String] = [:]
            for (name, value) in answer.allHeaderFields {
                if let name = name as? String, let value = value as? String { headers[name] = value }
            }
            return .refused(WebSocketRefusal(status: answer.statusCode, headers: headers))
        }
        // The error of a libcurl without WebSockets.
        if (error as? URLError)?.code == .unsupportedURL {
            return .unsupported("URLSession has no WebSockets on this system")
        }
        return .lost
    }
}

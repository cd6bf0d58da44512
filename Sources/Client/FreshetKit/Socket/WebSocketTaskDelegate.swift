// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Dispatch
internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Hears what becomes of one socket: that it opened, and that it is over.
final class WebSocketTaskDelegate: NSObject, URLSessionWebSocketDelegate, Sendable {
    /// How the handshake ended.
    let opening = FirstResult<Result<Void, WebSocketError>>()

    func urlSession(
        _ session: URLSession,
        webSocketTask: URLSessionWebSocketTask,
        didOpenWithProtocol protocol: String?
    ) {
        opening.finish(with: .success(()))
    }

    /// Whoever reads is told; on Linux the protocol wants this all the same.
    func urlSession(
        _ session: URLSession,
        webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode,
        reason: Data?
    ) {}

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        opening.finish(with: .failure(Self.reason(task.response, error)))
    }

    /// A redirect is a refusal: another origin must not see the token.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    #if !canImport(Darwin)
        /// A challenge is a refusal; without a credential the default handling never ends the task here.
        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            opening.finish(with: .failure(Self.reason(challenge.failureResponse, nil)))
            DispatchQueue.global().async { completionHandler(.cancelAuthenticationChallenge, nil) }
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
        // What a libcurl without WebSockets ends in.
        if (error as? URLError)?.code == .unsupportedURL { return .unsupported("URLSession has no WebSockets here") }
        return .lost
    }
}

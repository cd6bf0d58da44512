// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Dispatch
internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The app's delegate, which receives the events of the SDK's URL sessions that ``URLSessionTransport`` names.
///
/// On Apple's systems the delegate's methods are optional; on Linux they have defaults instead.
struct AppSessionDelegate: Sendable {
    private let delegate: (any URLSessionDelegate)?
    private var taskDelegate: (any URLSessionTaskDelegate)? { delegate as? any URLSessionTaskDelegate }

    init(_ delegate: (any URLSessionDelegate)?) { self.delegate = delegate }

    /// Whether the delegate is asked about a challenge: one of TLS or of a proxy.
    ///
    /// A server's own challenge is a response that the contract interprets, because a credential in its place would
    /// replace the token.
    func answers(_ challenge: URLAuthenticationChallenge) -> Bool {
        let space = challenge.protectionSpace
        return delegate != nil && (space.isProxy() || Self.ofTLS.contains(space.authenticationMethod))
    }

    #if canImport(Darwin)
        private static let ofTLS: Set = [
            NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate,
        ]
    #else
        private static let ofTLS: Set = [
            "NSURLAuthenticationMethodServerTrust", "NSURLAuthenticationMethodClientCertificate",
        ]
    #endif
    /// The challenges that `URLSession` sends to the session's method, and to the task's only if that is missing.
    private static let ofConnections = ofTLS.union([
        NSURLAuthenticationMethodNTLM, NSURLAuthenticationMethodNegotiate,
    ])

    private func concernsConnection(_ challenge: URLAuthenticationChallenge) -> Bool {
        Self.ofConnections.contains(challenge.protectionSpace.authenticationMethod)
    }

    #if canImport(Darwin)
        func answer(
            _ challenge: URLAuthenticationChallenge,
            of task: URLSessionTask,
            in session: URLSession,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            if concernsConnection(challenge),
                delegate?.urlSession?(session, didReceive: challenge, completionHandler: completionHandler) != nil
            {
                return
            }
            if taskDelegate?
                .urlSession?(session, task: task, didReceive: challenge, completionHandler: completionHandler) != nil
            {
                return
            }
            completionHandler(.performDefaultHandling, nil)
        }

        func didCreate(_ task: URLSessionTask, in session: URLSession) {
            taskDelegate?.urlSession?(session, didCreateTask: task)
        }

        func isWaitingForConnectivity(_ task: URLSessionTask, in session: URLSession) {
            taskDelegate?.urlSession?(session, taskIsWaitingForConnectivity: task)
        }

        func didSend(_ count: Int64, _ total: Int64, of expected: Int64, _ task: URLSessionTask, in session: URLSession)
        {
            taskDelegate?
                .urlSession?(
                    session,
                    task: task,
                    didSendBodyData: count,
                    totalBytesSent: total,
                    totalBytesExpectedToSend: expected
                )
        }

        func didCollect(_ metrics: URLSessionTaskMetrics, of task: URLSessionTask, in session: URLSession) {
            taskDelegate?.urlSession?(session, task: task, didFinishCollecting: metrics)
        }
    #else
        /// Asks the delegate; only a protocol class of the app sends such challenges here.
        ///
        /// A session's method that asks for the default handling may be the protocol's default. Only cancellations are
        /// passed on: Foundation traps on credentials other than those of Basic.
        func answer(
            _ challenge: URLAuthenticationChallenge,
            of task: URLSessionTask,
            in session: URLSession,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let conclude: @Sendable (URLSession.AuthChallengeDisposition) -> Void = { disposition in
                guard [.cancelAuthenticationChallenge, .rejectProtectionSpace].contains(disposition) else { return }
                // Cancelling waits for `URLSession`'s queue, which may wait for this one.
                DispatchQueue.global().async { completionHandler(.cancelAuthenticationChallenge, nil) }
            }
            let askTask: @Sendable () -> Void = {
                guard let taskDelegate else { return conclude(.performDefaultHandling) }
                taskDelegate.urlSession(session, task: task, didReceive: challenge) { answer, _ in conclude(answer) }
            }
            guard let delegate, concernsConnection(challenge) else { return askTask() }
            delegate.urlSession(session, didReceive: challenge) { answer, _ in
                answer == .performDefaultHandling ? askTask() : conclude(answer)
            }
        }

        func didSend(_ count: Int64, _ total: Int64, of expected: Int64, _ task: URLSessionTask, in session: URLSession)
        {
            taskDelegate?
                .urlSession(
                    session,
                    task: task,
                    didSendBodyData: count,
                    totalBytesSent: total,
                    totalBytesExpectedToSend: expected
                )
        }
    #endif
}

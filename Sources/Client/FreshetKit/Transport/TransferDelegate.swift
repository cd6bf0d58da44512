// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Dispatch
internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Rejects redirects, passes events to each task's receiver, and others to the app's delegate.
///
/// It is the delegate of the whole session: on Linux a task's own delegate is not called.
final class TransferDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let receivers = Locked<[Int: any ResponseReceiver]>([:])
    private let app: AppSessionDelegate

    init(_ app: AppSessionDelegate) { self.app = app }

    /// Registers the receiver of a task that has not been started yet.
    func watch(_ task: URLSessionTask, for receiver: any ResponseReceiver) {
        receivers.withLock { $0[task.taskIdentifier] = receiver }
    }

    private subscript(task: URLSessionTask) -> (any ResponseReceiver)? {
        receivers.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse { self[dataTask]?.receive(response) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        self[dataTask]?.receive(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        finish(task, error)
    }

    private func finish(_ task: URLSessionTask, _ error: (any Error)?) {
        let receiver = receivers.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        receiver?.finish(error)
    }

    /// Asks the app's delegate about TLS and proxies, and takes a server's own challenge for its response.
    ///
    /// There is no method for the whole session, so that `URLSession` sends all challenges to this one.
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
            // Completes the task with the response.
            completionHandler(.performDefaultHandling, nil)
        #else
            // The response has been received in full. Without a credential the default handling never completes the
            // task here, and the other dispositions cancel it.
            finish(task, nil)
            // Cancelling waits for `URLSession`'s queue, which may wait for this one.
            DispatchQueue.global().async { completionHandler(.cancelAuthenticationChallenge, nil) }
        #endif
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        app.didSend(bytesSent, totalBytesSent, of: totalBytesExpectedToSend, task, in: session)
    }

    #if canImport(Darwin)
        func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) { app.didCreate(task, in: session) }

        func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
            app.isWaitingForConnectivity(task, in: session)
        }

        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            didFinishCollecting metrics: URLSessionTaskMetrics
        ) {
            app.didCollect(metrics, of: task, in: session)
        }
    #endif
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Dispatch
internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Rejects redirects, and passes events to each task's receiver.
///
/// It is the delegate of the whole session: on Linux a task's own delegate is not called.
final class TransferDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let receivers = Locked<[Int: any ResponseReceiver]>([:])

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

    #if !canImport(Darwin)
        /// Completes a task whose response has been received in full.
        ///
        /// Without a credential the default handling never completes the task here, and the other dispositions cancel
        /// it. Apple's default handling completes it with the response.
        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            finish(task, nil)
            // Cancelling waits for `URLSession`'s queue, which may wait for this one.
            DispatchQueue.global().async { completionHandler(.cancelAuthenticationChallenge, nil) }
        }
    #endif
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An app's delegate, which records what it receives and answers challenges as its test says.
final class RecordingDelegate: NSObject, URLSessionDataDelegate, Sendable {
    enum Method: Equatable { case session, task }
    typealias Answer = @Sendable (Method) -> URLSession.AuthChallengeDisposition

    private struct Record {
        var asked: [Method] = []
        var sent: [Int64] = []
        var created = 0
        var collected = 0
        var results = 0
    }

    private let record = Locked(Record())
    private let answer: Answer

    init(_ answer: @escaping Answer = { _ in .performDefaultHandling }) { self.answer = answer }

    var asked: [Method] { record.withLock { $0.asked } }
    var sent: [Int64] { record.withLock { $0.sent } }
    var created: Int { record.withLock { $0.created } }
    var collected: Int { record.withLock { $0.collected } }
    /// The number of responses, redirects and completions, which are the SDK's own.
    var results: Int { record.withLock { $0.results } }

    private func answer(
        _ method: Method,
        _ challenge: URLAuthenticationChallenge,
        _ completionHandler: (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        record.withLock { $0.asked.append(method) }
        let answer = answer(method)
        completionHandler(answer, nil)
        #if !canImport(Darwin)
            // The task's method is asked after the session's, and nothing follows an acceptance there.
            if method == .task, answer == .performDefaultHandling {
                challenge.sender?.performDefaultHandling(for: challenge)
            }
        #endif
    }

    func urlSession(
        _ session: URLSession,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        answer(.session, challenge, completionHandler)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        answer(.task, challenge, completionHandler)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        record.withLock { $0.sent.append(bytesSent) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        record.withLock { $0.collected += 1 }
    }

    #if canImport(Darwin)
        func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
            record.withLock { $0.created += 1 }
        }
    #endif

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        record.withLock { $0.results += 1 }
        completionHandler(request)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        record.withLock { $0.results += 1 }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        record.withLock { $0.results += 1 }
    }
}

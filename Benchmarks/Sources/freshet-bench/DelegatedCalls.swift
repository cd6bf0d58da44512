// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `URLSession` by its delegate, with as little around it as can be: on Linux the way that a caller may cancel safely.
final class DelegatedCalls: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private struct Call {
        var data = Data()
        var continuation: CheckedContinuation<Data, any Error>
    }

    private let lock = NSLock()
    private var calls: [Int: Call] = [:]

    func data(for request: URLRequest, with session: URLSession) async throws -> Data {
        let task = session.dataTask(with: request)
        return try await withCheckedThrowingContinuation { continuation in
            lock.withLock { calls[task.taskIdentifier] = Call(continuation: continuation) }
            task.resume()
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        lock.withLock { calls[dataTask.taskIdentifier]?.data.append(data) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let call = lock.withLock { calls.removeValue(forKey: task.taskIdentifier) }
        call?.continuation.resume(with: error.map(Result.failure) ?? .success(call?.data ?? Data()))
    }
}

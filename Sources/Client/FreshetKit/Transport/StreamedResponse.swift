// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Dispatch
internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Streams the response of one request.
final class StreamedResponse: ResponseReceiver {
    /// The response's head, or the error instead of it.
    let head = FirstResult<Result<HTTPURLResponse, any Error>>()
    let body: ChunkQueue

    init(_ task: URLSessionTask) {
        #if canImport(Darwin)
            let overflow = ChunkQueue.Overflow.pausing(stop: { task.suspend() }, go: { task.resume() })
        #else
            // On Linux, a suspended task continues for a while, and then restarts its request.
            let overflow = ChunkQueue.Overflow.spilling
        #endif
        body = ChunkQueue(overflow: overflow) { task.cancelAsynchronously() }
    }

    func receive(_ response: HTTPURLResponse) { head.finish(with: .success(response)) }

    func receive(_ data: Data) { body.append(data) }

    func finish(_ error: (any Error)?) {
        head.finish(with: .failure(error ?? URLError(.badServerResponse)))
        body.finish(error)
    }
}

extension URLSessionTask {
    /// Cancels the task; on Linux asynchronously, since the caller may hold a lock that `URLSession` needs.
    func cancelAsynchronously() {
        #if canImport(Darwin)
            cancel()
        #else
            DispatchQueue.global().async { self.cancel() }
        #endif
    }
}

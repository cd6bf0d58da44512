// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// One request under way whose answer is handed over in pieces.
final class Transfer: Sendable {
    /// The answer's head, or why there is none.
    let head = Race<Result<HTTPURLResponse, any Error>>()
    let body: ChunkQueue

    init(_ task: URLSessionTask) {
        #if canImport(Darwin)
            let overflow = ChunkQueue.Overflow.pausing(stop: { task.suspend() }, go: { task.resume() })
        #else
            // Here, a task that was suspended goes on for a while, and then sends its request again from the start.
            let overflow = ChunkQueue.Overflow.spilling
        #endif
        body = ChunkQueue(overflow: overflow) { task.cancel() }
    }

    func finish(_ error: (any Error)?) {
        head.finish(with: .failure(error ?? URLError(.badServerResponse)))
        body.finish(error)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Dispatch
internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// One request under way whose answer is handed over in pieces.
final class Transfer: Sendable {
    /// The answer's head, or why there is none.
    let head = Race<Result<HTTPURLResponse, any Error>>()
    let body: ChunkQueue
    private let task: URLSessionTask

    init(_ task: URLSessionTask) {
        #if canImport(Darwin)
            let overflow = ChunkQueue.Overflow.pausing(stop: { task.suspend() }, go: { task.resume() })
        #else
            // Here, a task that was suspended goes on for a while, and then sends its request again from the start.
            let overflow = ChunkQueue.Overflow.spilling
        #endif
        self.task = task
        body = ChunkQueue(overflow: overflow) { Self.cancel(task) }
    }

    func cancel() { Self.cancel(task) }

    /// Cancels a task from a thread of its own where `URLSession` has whoever cancels wait: he may hold what it waits for.
    private static func cancel(_ task: URLSessionTask) {
        #if canImport(Darwin)
            task.cancel()
        #else
            DispatchQueue.global().async { task.cancel() }
        #endif
    }

    func finish(_ error: (any Error)?) {
        head.finish(with: .failure(error ?? URLError(.badServerResponse)))
        body.finish(error)
    }
}

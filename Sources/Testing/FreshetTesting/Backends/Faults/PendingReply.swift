// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetKit

/// A response that is held until a test releases it.
package final class PendingReply: Sendable {
    private enum State {
        case held(CheckedContinuation<Void, any Error>?)
        case over(Result<Void, any Error>)
    }

    /// The response to send.
    package let response: BackendResponse
    /// The method and the path of the request.
    package let request: String
    private let state = Locked(State.held(nil))

    package init(_ response: BackendResponse, to request: BackendRequest) {
        self.response = response
        self.request = "\(request.method) \(request.path)"
    }

    /// Whether the response is still held.
    package var isHeld: Bool { state.withLock { state in if case .held = state { true } else { false } } }

    /// Waits until the response is released.
    ///
    /// - Returns: The response.
    /// - Throws: `CancellationError` if the waiting task is cancelled.
    package func released() async throws -> BackendResponse {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Void, any Error>? = state.withLock { state in
                    if case .over(let result) = state { return result }
                    state = .held(continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            end(with: .failure(CancellationError()))
        }
        return response
    }

    package func release() { end(with: .success(())) }

    private func end(with result: Result<Void, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard case .held(let continuation) = state else { return nil }
            state = .over(result)
            return continuation
        }
        continuation?.resume(with: result)
    }
}

extension PendingReply: CustomStringConvertible, CustomReflectable {
    /// The status; the other fields may contain tokens.
    package var description: String { "PendingReply(\(response.status))" }
    /// An empty mirror, to keep tokens out of output.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection(), displayStyle: .class) }
}

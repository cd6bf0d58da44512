// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
public import FreshetKit

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A transport that announces every request and lets the test answer it.
public final class ManualTransport: HTTPTransport {
    private struct State {
        var arrived: [PendingRequest] = []
        var lastWaiter = 0
        var waiters: [(id: Int, path: String?, continuation: CheckedContinuation<PendingRequest, any Error>)] = []
    }

    private let state = Locked(State())

    /// Nothing has been sent yet.
    public init() {}

    /// Announces a request of the app.
    public func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await announce(PendingRequest(request, isExchange: false))
    }

    /// Announces a request to a token endpoint.
    public func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
        try await announce(PendingRequest(request, isExchange: true))
    }

    /// The next request that arrives, or that has arrived and was not asked for yet.
    ///
    /// - Parameter path: Passes over requests to other paths, which stay to be asked for.
    /// - Returns: The request, to be answered.
    /// - Throws: `CancellationError` if the test is cancelled.
    public func next(to path: String? = nil) async throws -> PendingRequest {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer: Result<PendingRequest, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if let index = state.arrived.firstIndex(where: { path == nil || $0.path == path }) {
                        return .success(state.arrived.remove(at: index))
                    }
                    state.waiters.append((id, path, continuation))
                    return nil
                }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Requests that arrived and were not asked for.
    public var unclaimed: [PendingRequest] { state.withLock { $0.arrived } }

    private func announce(_ pending: PendingRequest) async throws -> (Data, HTTPURLResponse) {
        let waiter = state.withLock { state -> CheckedContinuation<PendingRequest, any Error>? in
            let index = state.waiters.firstIndex { $0.path == nil || $0.path == pending.path }
            if let index { return state.waiters.remove(at: index).continuation }
            state.arrived.append(pending)
            return nil
        }
        waiter?.resume(returning: pending)
        return try await pending.outcome()
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
public import FreshetKit

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A transport that hands every request to the test, which answers it.
public final class ManualTransport: HTTPTransport {
    private struct State {
        var arrived: [PendingRequest] = []
        var lastWaiter = 0
        var waiters: [(id: Int, path: String?, continuation: CheckedContinuation<PendingRequest, any Error>)] = []
        /// Requests without an answer, whether or not the test has taken them.
        var open: [PendingRequest] = []
        var clock: LinkedClock?
    }

    private struct LinkedClock {
        weak var clock: TestClock?
    }

    private let state = Locked(State())
    private let reporter: WaitReporter

    /// Creates a transport without requests.
    ///
    /// - Parameter reporter: Reports that a test waits for a request that does not arrive.
    public init(reporter: WaitReporter = .standardError) { self.reporter = reporter }

    /// Hands a request of the app to the test.
    public func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await announce(PendingRequest(request, isExchange: false))
    }

    /// Hands a request to a token endpoint to the test.
    public func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
        try await announce(PendingRequest(request, isExchange: true))
    }

    /// Returns the next request that arrives, or one that arrived earlier and was not taken.
    ///
    /// - Parameter path: Only requests to this path are returned; the others can still be taken later.
    /// - Returns: The request, to be answered.
    /// - Throws: `CancellationError` if the test is cancelled.
    public func next(to path: String? = nil) async throws -> PendingRequest {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let report = reporter.task { [weak self] in self?.waitReport(path) }
        defer { report.cancel() }
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

    /// Requests that arrived and were not taken.
    public var unclaimed: [PendingRequest] { state.withLock { $0.arrived } }

    private func announce(_ pending: PendingRequest) async throws -> (Data, HTTPURLResponse) {
        let waiter = state.withLock { state -> CheckedContinuation<PendingRequest, any Error>? in
            let index = state.waiters.firstIndex { $0.path == nil || $0.path == pending.path }
            if let index { return state.waiters.remove(at: index).continuation }
            state.arrived.append(pending)
            return nil
        }
        waiter?.resume(returning: pending)
        state.withLock { $0.open.append(pending) }
        linkedClock?.recordChange()
        defer {
            state.withLock { $0.open.removeAll { $0 === pending } }
            linkedClock?.recordChange()
        }
        return try await pending.outcome()
    }

    private var linkedClock: TestClock? { state.withLock { $0.clock?.clock } }

    private func waitReport(_ path: String?) -> String {
        let requests = openRequests.map { "  open request: \($0)" }.joined(separator: "\n")
        let rest = linkedClock?.summary ?? (requests.isEmpty ? "  no request is open" : requests)
        return "The test waits for a request\(path.map { " to \($0)" } ?? "").\n" + rest
    }
}

extension ManualTransport: OpenRequestSource {
    package var openRequests: [String] {
        let (open, unclaimed) = state.withLock { ($0.open, $0.arrived) }
        return open.map { request in
            let isUnclaimed = unclaimed.contains { $0 === request }
            let method = request.request.httpMethod ?? "GET"
            return "\(method) \(request.path), \(isUnclaimed ? "not asked for by the test" : "not answered")"
        }
    }

    package func follow(_ clock: TestClock) { state.withLock { $0.clock = LinkedClock(clock: clock) } }
}

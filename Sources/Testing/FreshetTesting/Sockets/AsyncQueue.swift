// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetKit

/// A first-in, first-out queue for tasks that wait for its items.
final class AsyncQueue<Item: Sendable>: Sendable {
    private struct State {
        var arrived: [Item] = []
        var waiting: [(id: Int, continuation: CheckedContinuation<Item, any Error>)] = []
        var lastID = 0
        /// Tasks that wait until at most `count` items are left.
        var watching: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var end: (any Error)?
    }

    private let state = Locked(State())
    /// The description of the items in reports; `nil` for queues on which the client waits.
    private let label: String?
    private let reporter: WaitReporter

    init(_ label: String? = nil, reporter: WaitReporter = .standardError) {
        self.label = label
        self.reporter = reporter
    }

    private func report() -> Task<Void, Never>? {
        label.map { label in reporter.task { "The test waits for \(label)." } }
    }

    var unclaimed: [Item] { state.withLock { $0.arrived } }

    func put(_ item: Item) {
        let waiter = state.withLock { state -> CheckedContinuation<Item, any Error>? in
            guard state.end == nil else { return nil }
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
            state.arrived.append(item)
            return nil
        }
        waiter?.resume(returning: item)
    }

    /// Closes the queue; items that have arrived can still be taken.
    func finish(throwing error: any Error) {
        let waiting = state.withLock { state in
            if state.end == nil { state.end = error }
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.continuation.resume(throwing: error) }
    }

    func next() async throws -> Item {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let report = report()
        defer { report?.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer: Result<Item, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if !state.arrived.isEmpty { return .success(state.arrived.removeFirst()) }
                    if let end = state.end { return .failure(end) }
                    state.waiting.append((id, continuation))
                    return nil
                }
                if let answer { continuation.resume(with: answer) }
                resumeWatchers()
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Waits until at most `count` items are left.
    func waitUntilUnclaimed(_ count: Int) async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.watching.append((count, continuation)) }
            resumeWatchers()
        }
    }

    private func resumeWatchers() {
        let due = state.withLock { state in
            let left = state.arrived.count
            defer { state.watching.removeAll { $0.count >= left } }
            return state.watching.filter { $0.count >= left }
        }
        for watcher in due { watcher.continuation.resume() }
    }
}

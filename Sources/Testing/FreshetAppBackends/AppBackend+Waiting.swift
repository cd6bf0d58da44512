// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetKit
internal import FreshetTesting

extension AppBackend {
    /// Waits until exactly this many sockets are open.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    package func waitForOpenSockets(_ count: Int) async throws {
        try await until("\(count) open sockets") { $0.sockets.count == count }
    }

    /// Waits until the socket of this accepted handshake is open, and no other one is.
    ///
    /// A client may open a socket before the backend has noticed the end of the one before.
    ///
    /// - Parameter number: The number of the handshake among the accepted ones; the first is 1.
    /// - Throws: `CancellationError` if the task is cancelled.
    package func waitForSocket(_ number: Int) async throws {
        try await until("the socket number \(number) alone") { Array($0.sockets.keys) == [number] }
    }

    /// Waits until clients have sent at least this many text messages over their sockets.
    ///
    /// At most ``retainedExchanges`` messages are counted; older ones are discarded.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    package func waitForSocketMessages(_ count: Int) async throws {
        try await until("\(count) texts over sockets") { $0.socketMessages.count >= count }
    }

    /// Waits until exactly this many sessions are open, neither signed out nor ended.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    package func waitForLiveSessions(_ count: Int) async throws {
        try await until("\(count) live sessions") { $0.ledger.liveSessions == count }
    }

    /// Changes the state, and resumes the tests that wait for the new state.
    func change<Result>(_ body: (inout BackendState) -> Result) -> Result {
        let (result, watchers) = state.withLock { state in
            let result = body(&state)
            return (result, state.takeMetWatchers())
        }
        for watcher in watchers { watcher.continuation.resume() }
        return result
    }

    private func until(_ text: String, _ isMet: @escaping @Sendable (BackendState) -> Bool) async throws {
        let report = WaitReporter.standardError.task { [app] in
            "The test waits for \(text) of \(app.rawValue)'s backend."
        }
        defer { report.cancel() }
        let id = state.withLock { state in
            state.lastWatcher += 1
            return state.lastWatcher
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = change { state in
                    if !Task.isCancelled {
                        state.watchers[id] = BackendWatcher(isMet: isMet, continuation: continuation)
                    }
                    return Task.isCancelled
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            state.withLock { $0.watchers.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }
}

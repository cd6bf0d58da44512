// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetKit

extension TestClock {
    /// Advances the clock from deadline to deadline, and waits at each for the work it triggers.
    ///
    /// A refresh that is due within `duration` happens at its scheduled time, and so do the refreshes that it
    /// schedules, even over weeks. At each deadline the clock waits for timers of sessions, sockets and outboxes, and
    /// for refreshes of the sessions that were created with this clock, until they finish, pause on this clock, or wait
    /// for a request that the test has to answer. Other tasks that sleep on this clock are resumed in the order of
    /// their deadlines.
    ///
    /// - Parameter duration: The time to advance by; if the test is cancelled, the clock stops.
    public func run(for duration: Swift.Duration) async {
        let target = now.advanced(by: duration)
        await waitUntilIdle()
        while !Task.isCancelled, let due = wakeNext(by: target) {
            due.continuation.resume()
            await Task.yield()
            await waitUntilIdle()
        }
        guard !Task.isCancelled else { return }
        advance(by: max(.zero, now.duration(to: target)))
        await waitUntilIdle()
    }

    /// Runs an operation, and advances the clock past each pause of the operation.
    ///
    ///     backend.fail(.status(503))
    ///     let (data, response) = try await clock.skipPauses { try await session.data(for: request) }
    ///
    /// A pause is a sleep that delays the next step of the operation: the backoff between two refresh attempts, the
    /// delay before a socket reconnects, or any sleep of the app on this clock. Time limits of requests are not pauses.
    ///
    /// - Parameter operation: The operation to run.
    /// - Returns: The result of `operation`.
    /// - Throws: The error of `operation`.
    public func skipPauses<Value, Failure: Error>(
        during operation: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let pause = state.withLock { state in
            state.pauseSkippers += 1
            return state.sleepers.values.filter(\.purpose.isPause).map(\.deadline).min()
        }
        defer { state.withLock { $0.pauseSkippers -= 1 } }
        if let pause { advance(by: max(.zero, now.duration(to: pause))) }
        return try await operation()
    }

    /// Waits until the timers and sessions linked to this clock have no more work to do at this time.
    private func waitUntilIdle() async {
        let report = reporter.task { [weak self] in
            self.map { "TestClock.run(for:) waits for what it woke.\n" + $0.summary }
        }
        defer { report.cancel() }
        while !Task.isCancelled {
            let version = state.withLock { $0.version }
            if isBusy {
                await change(after: version)
                continue
            }
            // The current work of a session may set another timer.
            for session in linkedSessions { await session.followPhase() }
            if state.withLock({ $0.version == version }) { return }
        }
    }

    private var linkedSessions: [AuthSession] { state.withLock { $0.sessions.compactMap(\.session) } }

    private var isBusy: Bool {
        let (timers, isPausing, sessions, sources) = state.withLock { state in
            (
                state.runningTimers, state.sleepers.values.contains { $0.purpose.isPause },
                state.sessions.compactMap(\.session), state.sources.compactMap(\.source)
            )
        }
        if timers > 0 { return true }
        let isRefreshing = sessions.contains { [.refreshing, .ending].contains($0.state) }
        return isRefreshing && !isPausing && sources.allSatisfy(\.openRequests.isEmpty)
    }

    private func change(after version: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.version == version, !Task.isCancelled else { return true }
                    state.changeWaiters.append(continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            recordChange()
        }
    }

    /// Records a change that ``run(for:)`` may be waiting for.
    package func recordChange() {
        let waiters = state.withLock { state in
            state.version += 1
            defer { state.changeWaiters = [] }
            return state.changeWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    // MARK: Linked sessions and transports

    /// Links a session and its transport to this clock.
    func link(_ session: AuthSession, _ transport: any HTTPTransport) {
        state.withLock { state in
            state.sessions.removeAll { $0.session == nil }
            state.sessions.append(LinkedSession(session: session))
        }
        session.observe { [weak self] _ in self?.recordChange() }
        if let source = transport as? any OpenRequestSource { link(source) }
    }

    /// Includes the open requests of a source in reports.
    func link(_ source: any OpenRequestSource) {
        let isNew = state.withLock { state in
            state.sources.removeAll { $0.source == nil }
            guard !state.sources.contains(where: { $0.source === source }) else { return false }
            state.sources.append(LinkedSource(source: source))
            return true
        }
        if isNew { source.follow(self) }
    }
}

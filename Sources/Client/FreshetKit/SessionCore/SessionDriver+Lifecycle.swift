// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension SessionDriver {
    // MARK: Phases and the network

    /// Records that the app entered or left the foreground.
    ///
    /// Hops to an actor may overtake each other, so the phase is recorded here and read inside the hop.
    nonisolated func setPhase(_ phase: SessionPhase) {
        latestPhase.withLock { $0 = phase }
        Task { await applyLatestPhase() }
    }

    /// Applies the latest phase once.
    func applyLatestPhase() {
        let phase = latestPhase.withLock { $0 }
        guard foregroundRefresh.phase != phase else { return }
        foregroundRefresh.phase = phase
        published.emit(.phaseChanged(phase))
        guard phase == .foreground else { return scheduleTimer() }
        machine.bringForward(now: clock.now())
        updateRetryPause()
        reload()
        if hasPendingLogout { deliverLogouts() }
    }

    /// Handles a change of the network.
    func networkChanged(isUp: Bool) {
        let wasUp = foregroundRefresh.network.isUp
        foregroundRefresh.network.report(isUp: isUp)
        guard wasUp != foregroundRefresh.network.isUp else { return }
        published.emit(.networkChanged(isUp: isUp))
        guard isUp else { return scheduleTimer() }
        machine.networkReturned(now: clock.now(), chance: clock.chance())
        updateRetryPause()
        publish()
        if hasPendingLogout { deliverLogouts() }
    }

    /// Records whether an attempt proved that there is a network, regardless of the system's report.
    func updateReachability(_ answer: TokenEndpoint.RefreshAnswer) {
        let wasUp = foregroundRefresh.network.isUp
        let isAnswered = if case .other(.transient) = answer { false } else { true }
        foregroundRefresh.network.requestEnded(isAnswered: isAnswered)
        if wasUp != foregroundRefresh.network.isUp { published.emit(.networkChanged(isUp: !wasUp)) }
    }

    /// Follows the system's network reports until the session is released.
    nonisolated func follow(_ monitor: SessionNetworkMonitor) {
        let task = Task { [weak self] in
            for await isUp in monitor.updates() {
                guard let self else { return }
                await self.networkChanged(isUp: isUp)
            }
        }
        networkTask.withLock { $0 = task }
    }

    /// Reads the store, whatever session is in memory.
    func reload() {
        guard let before = machine.currentSession?.session else { return readStoreIfSignedOut() }
        let completion = enqueuingLogoutOfUnsaved { machine.reread(readStore(), at: clock.snapshot) }
        complete(completion)
        publish()
        // The state shows that the session was replaced or has ended.
        guard let session = machine.currentSession?.session, session.id == before.id,
            session.accessToken != before.accessToken
        else { return }
        publishAdoption()
    }

    // MARK: The timer

    /// Sets the timer to the session's next scheduled action.
    func scheduleTimer() {
        let wake = foregroundRefresh.wakeTime(for: need, now: clock.now())
        guard wake != wakeTime else { return }
        wakeTask?.cancel()
        wakeTask = nil
        wakeTime = wake
        guard let wake else { return }
        wakeTask = clock.timer(wake, .schedule("of a session in the foreground")) { [weak self] in
            await self?.wake(wake)
        }
    }

    private func wake(_ time: Duration) {
        guard wakeTime == time else { return }
        wakeTime = nil
        wakeTask = nil
        switch need {
        case .nothing: scheduleTimer()
        case .recheckStore(let time): time <= clock.now() ? readStoreIfSignedOut() : scheduleTimer()
        case .refresh(let time): time <= clock.now() ? refreshAhead() : scheduleTimer()
        }
    }

    private var need: ForegroundRefreshPolicy.Need {
        switch machine.state {
        case .unknown: .recheckStore(at: nextStoreRead)
        case .signedIn(let currentSession) where machine.renewal.canRenew(currentSession.session):
            .refresh(from: max(due?.at ?? .zero, machine.earliestRefreshAhead))
        case .signedIn, .signedOut, .refreshing: .nothing
        }
    }

    /// Waits for the end of a refresh's pause, which may be shortened in the meantime, and publishes its length.
    func retryPause(in id: Int) async {
        while let end = machine.pauseEnd(of: id), end > clock.now() {
            published.emit(.retrying(after: end - clock.now()))
            let task = Task { [clock] in
                _ = try? await clock.sleep(until: end, for: .pause("between two attempts to refresh"))
            }
            retryPause = (id, end, task)
            await task.value
            if retryPause?.refresh == id { retryPause = nil }
        }
    }

    /// Wakes a waiting refresh to read the end of its pause again, if the pause was shortened.
    func updateRetryPause() {
        guard let retryPause, machine.pauseEnd(of: retryPause.refresh) != retryPause.end else { return }
        retryPause.task.cancel()
    }
}

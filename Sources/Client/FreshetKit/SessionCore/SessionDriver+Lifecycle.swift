// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension SessionDriver {
    // MARK: Phases and the network

    /// The app came or went.
    ///
    /// Hops to an actor may overtake each other, so the phase is put down here and read inside the hop.
    nonisolated func setPhase(_ phase: SessionPhase) {
        latestPhase.withLock { $0 = phase }
        Task { await applyLatestPhase() }
    }

    /// Does what the latest phase asks for, once.
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

    /// The network went away or came back.
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

    /// An attempt to refresh shows whether there is a network, whatever the system says.
    func updateReachability(_ answer: TokenEndpoint.RefreshAnswer) {
        let wasUp = foregroundRefresh.network.isUp
        let isAnswered = if case .other(.transient) = answer { false } else { true }
        foregroundRefresh.network.requestEnded(isAnswered: isAnswered)
        if wasUp != foregroundRefresh.network.isUp { published.emit(.networkChanged(isUp: !wasUp)) }
    }

    /// Follows the system's advice for as long as the session lives.
    nonisolated func follow(_ monitor: NetworkMonitor) {
        let task = Task { [weak self] in
            for await isUp in monitor.updates() {
                guard let self else { return }
                await self.networkChanged(isUp: isUp)
            }
        }
        networkTask.withLock { $0 = task }
    }

    /// Looks into the store, whatever is held.
    func reload() {
        guard machine.currentSession != nil else { return readStoreIfSignedOut() }
        let completion = enqueuingLogoutOfUnsaved { machine.reread(readStore(), at: clock.snapshot) }
        complete(completion)
        publish()
    }

    // MARK: The timer

    /// Sets the timer to what the session needs next.
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

    /// Sleeps through the pause of a refresh, however it is shortened meanwhile, and reports how long it is.
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

    /// Lets a refresh look again how long its pause is, if that was shortened.
    func updateRetryPause() {
        guard let retryPause, machine.pauseEnd(of: retryPause.refresh) != retryPause.end else { return }
        retryPause.task.cancel()
    }
}

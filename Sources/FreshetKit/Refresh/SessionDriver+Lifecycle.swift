// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension SessionDriver {
    // MARK: Phases and the network

    /// The app came or went.
    ///
    /// Hops to an actor may overtake each other, so the phase is put down here and read inside the hop.
    nonisolated func enter(_ phase: SessionPhase) {
        latestPhase.withLock { $0 = phase }
        Task { await followPhase() }
    }

    /// Does what the latest phase asks for, once.
    func followPhase() {
        let phase = latestPhase.withLock { $0 }
        guard vigil.phase != phase else { return }
        vigil.phase = phase
        published.tell(.phaseChanged(phase))
        guard phase == .foreground else { return watch() }
        reload()
        if hasPendingLogout { deliverLogouts() }
    }

    /// The network went away or came back.
    func networkChanged(isUp: Bool) {
        guard vigil.isNetworkUp != isUp else { return }
        vigil.isNetworkUp = isUp
        published.tell(.networkChanged(isUp: isUp))
        guard isUp else { return watch() }
        machine.networkReturned(now: clock.now(), chance: clock.chance())
        if machine.held <= clock.now() { napTask?.cancel() }
        publish()
        if hasPendingLogout { deliverLogouts() }
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
        guard machine.holding != nil else { return lookAgain() }
        let settlement = machine.reread(readStore(), at: clock.moment)
        settle(settlement)
        publish()
    }

    // MARK: The timer

    /// Sets the timer to what the session needs next.
    func watch() {
        let wake = vigil.wakeTime(for: need, now: clock.now())
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
        case .nothing: watch()
        case .look(let time): time <= clock.now() ? lookAgain() : watch()
        case .refresh(let time): time <= clock.now() ? refreshAhead() : watch()
        }
    }

    private var need: Vigil.Need {
        switch machine.state {
        case .unknown: .look(at: nextLook)
        case .signedIn(let holding) where machine.renewal.canRenew(holding.session):
            .refresh(from: max(due?.at ?? .zero, machine.earliestRefreshAhead))
        case .signedIn, .signedOut, .refreshing: .nothing
        }
    }

    /// Sleeps between two attempts, unless the network comes back.
    func nap(until time: Duration) async {
        let task = Task { [clock] in
            _ = try? await clock.sleep(until: time, for: .pause("between two attempts to refresh"))
        }
        napTask = task
        await task.value
        napTask = nil
    }
}

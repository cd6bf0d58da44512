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
        machine.bringForward(now: clock.now())
        interruptNap()
        reload()
        if hasPendingLogout { deliverLogouts() }
    }

    /// The network went away or came back.
    func networkChanged(isUp: Bool) {
        let wasUp = vigil.network.isUp
        vigil.network.report(isUp: isUp)
        guard wasUp != vigil.network.isUp else { return }
        published.tell(.networkChanged(isUp: isUp))
        guard isUp else { return watch() }
        machine.networkReturned(now: clock.now(), chance: clock.chance())
        interruptNap()
        publish()
        if hasPendingLogout { deliverLogouts() }
    }

    /// An attempt to refresh shows whether there is a network, whatever the system says.
    func noteNetwork(_ answer: TokenEndpoint.RefreshAnswer) {
        let wasUp = vigil.network.isUp
        let isAnswered = if case .other(.transient) = answer { false } else { true }
        vigil.network.requestEnded(isAnswered: isAnswered)
        if wasUp != vigil.network.isUp { published.tell(.networkChanged(isUp: !wasUp)) }
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
        let settlement = owingUnsaved { machine.reread(readStore(), at: clock.moment) }
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

    /// Sleeps through the pause of a refresh, however it is shortened meanwhile, and reports how long it is.
    func nap(in id: Int) async {
        while let end = machine.pauseEnd(of: id), end > clock.now() {
            published.tell(.retrying(after: end - clock.now()))
            let task = Task { [clock] in
                _ = try? await clock.sleep(until: end, for: .pause("between two attempts to refresh"))
            }
            nap = (id, end, task)
            await task.value
            if nap?.refresh == id { nap = nil }
        }
    }

    /// Lets a refresh look again how long its pause is, if that was shortened.
    func interruptNap() {
        guard let nap, machine.pauseEnd(of: nap.refresh) != nap.end else { return }
        nap.task.cancel()
    }
}

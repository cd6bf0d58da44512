// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

/// Delivery of sign-outs to the server, with retries until it succeeds.
extension SessionDriver {
    /// The sign-outs of this server's sessions that are not yet delivered; without the stored ones if the store cannot
    /// be read.
    var pendingLogouts: [PendingLogout] {
        let record = try? readStore().get()
        // A session with a pending sign-out is stored but not in use.
        let stored = machine.pendingSignOut == nil ? record?.session : nil
        let inUse = [stored, machine.currentSession?.session].compactMap(\.self)
        let unrecorded = unrecordedLogouts.filter { logout in !inUse.contains { logout.wouldEnd($0) } }
        return (record?.pendingLogouts ?? []).filter { $0.origin == origin } + unrecorded
    }

    /// Delivers the pending sign-outs to the server, with retries.
    ///
    /// - Returns: The first attempt. For every four sign-outs, it takes at most the timeout of one request.
    @discardableResult
    func deliverLogouts() -> Task<Bool, Never> {
        Task {
            let isDone = await deliverOnce()
            if !isDone { keepDelivering() }
            return isDone
        }
    }

    private func keepDelivering() {
        guard logoutTask == nil else { return }
        let clock = clock
        let backoff = machine.backoff
        logoutTask = Task { [weak self] in
            var failures = 1
            while true {
                let delay = backoff.delay(afterFailures: failures, retryAfter: nil, chance: clock.chance())
                let next = clock.now() + delay
                guard (try? await clock.sleep(until: next, for: .schedule("of another logout request"))) != nil else {
                    return
                }
                guard let self, await !self.deliverOnceMore() else { return }
                failures += 1
            }
        }
    }

    private func deliverOnceMore() async -> Bool {
        let isDone = await deliverOnce()
        if isDone { logoutTask = nil }
        return isDone
    }

    /// Tries each pending sign-out once, four at a time, including those added in the meantime.
    ///
    /// - Returns: Whether no sign-out is pending any longer.
    private func deliverOnce() async -> Bool {
        recordUnrecordedLogouts()
        var isDone = true
        var tried: Set<PendingLogout> = []
        while true {
            let next = pendingLogouts.filter { !tried.contains($0) }.prefix(4)
            guard !next.isEmpty else {
                // An unavailable store may hold further pending sign-outs.
                guard case .success = readStore() else { return false }
                return isDone
            }
            tried.formUnion(next)
            isDone = await Self.allSucceed(next.map(deliver)) && isDone
        }
    }

    static func allSucceed(_ deliveries: [Task<Bool, Never>]) async -> Bool {
        var isDone = true
        for delivery in deliveries { isDone = await delivery.value && isDone }
        return isDone
    }

    /// Delivers one sign-out to the server; concurrent callers share the delivery.
    func deliver(_ logout: PendingLogout) -> Task<Bool, Never> {
        if let delivery = deliveries[logout] { return delivery }
        let delivery = Task {
            defer { deliveries[logout] = nil }
            // A sign-in may have returned this token again since, so that it is in use.
            guard pendingLogouts.contains(logout) else { return true }
            // A sign-in in progress may still do so; its end restarts the delivery.
            guard !machine.signInMayReviveToken else { return false }
            let outcome = await endpoint.present(logout.presented, on: .logout)
            let isTold = isFinal(outcome) && forget(logout)
            published.emit(.logoutDelivered(isTold))
            _ = readStore()
            publish()
            return isTold
        }
        deliveries[logout] = delivery
        return delivery
    }

    /// Whether another delivery would have the same result.
    private func isFinal(_ outcome: Outcome) -> Bool {
        switch outcome {
        case .delivered, .sessionEnded: true
        // Other backends refuse an ended token with these responses; Freshet's own server always confirms a logout.
        case .accessExpired, .refused, .forbidden, .invalidRequest, .misconfigured, .stepUp:
            !endpoint.contract.isConfirmed
        case .superseded, .throttled, .transient, .contractViolation: false
        }
    }

    private func forget(_ logout: PendingLogout) -> Bool {
        if let index = unrecordedLogouts.firstIndex(of: logout) {
            unrecordedLogouts.remove(at: index)
            return true
        }
        do throws(SessionStoreError) {
            try change(replacesDamaged: false) { $0.delivered(logout) }
            return true
        } catch { return false }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Answers that come after their attempt was given up.
///
/// A backend that takes each refresh token once may have used up what was presented, and only its answer has the successor.
extension SessionDriver {
    /// An attempt that was given up and may be answered yet.
    struct LateAttempt {
        var pair: RefreshCredentials
        /// Ends when the answer was adopted, or did not come.
        var task: Task<Void, Never>
    }

    /// Takes an answer when it comes, whatever is under way by then.
    func trackLateAnswer(
        of late: Task<TokenEndpoint.RefreshAnswer, Never>,
        _ pair: RefreshCredentials,
        _ askedAt: ClockSnapshot
    ) {
        lastLateAttempt += 1
        let number = lastLateAttempt
        let task = Task {
            let answer = await late.value
            lateAttempts[number] = nil
            adopt(answer, pair, askedAt)
        }
        lateAttempts[number] = LateAttempt(pair: pair, task: task)
    }

    /// Whether an attempt that was given up may still bring the successor of what was presented.
    func awaitsLateAnswer(_ pair: RefreshCredentials) -> Bool { lateAttempts.values.contains { $0.pair == pair } }

    private func adopt(_ answer: TokenEndpoint.RefreshAnswer, _ pair: RefreshCredentials, _ askedAt: ClockSnapshot) {
        guard let held = machine.currentSession?.session, held.id == pair.sessionID else {
            return enqueueLogoutOfUnusedGrant(answer, pair, askedAt)
        }
        // A later attempt may have gone further; of two successors the one in use stays.
        guard case .granted(let grant) = answer, held.generation == pair.generation else { return }
        if let fault = mismatch(grant, pair) { return published.emit(.refreshFailed(.contractFault(fault))) }
        store(grant, of: pair, askedAt) { currentSession in
            complete(machine.refreshedLate(currentSession, now: clock.now()))
        }
        updateRetryPause()
    }
}

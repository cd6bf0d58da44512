// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Handling of responses that arrive after the timeout of their attempt.
///
/// A backend that accepts each refresh token only once may have used up the presented token, and only its response has
/// the successor.
extension SessionDriver {
    /// An attempt that timed out and may still get a response.
    struct LateAttempt {
        var pair: RefreshCredentials
        /// Completes when the response was adopted, or did not arrive.
        var task: Task<Void, Never>
    }

    /// Adopts a late response when it arrives, regardless of other operations in progress.
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

    /// Whether an attempt that timed out may still return the successor of the presented token.
    func awaitsLateAnswer(_ pair: RefreshCredentials) -> Bool { lateAttempts.values.contains { $0.pair == pair } }

    private func adopt(_ answer: TokenEndpoint.RefreshAnswer, _ pair: RefreshCredentials, _ askedAt: ClockSnapshot) {
        guard let held = machine.currentSession?.session, held.id == pair.sessionID else {
            return enqueueLogoutOfUnusedGrant(answer, pair, askedAt)
        }
        // A later attempt may have succeeded; of two successors the one in use is kept.
        guard case .granted(let grant) = answer, held.generation == pair.generation else { return }
        if let fault = mismatch(grant, pair) { return published.emit(.refreshFailed(.invalidResponse(fault))) }
        store(grant, of: pair, askedAt) { currentSession in
            machine.refreshedLate(currentSession, now: clock.now())
        }
        updateRetryPause()
    }
}

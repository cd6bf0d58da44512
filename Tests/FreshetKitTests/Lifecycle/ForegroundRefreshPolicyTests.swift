// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetKit

@Suite struct `Foreground refresh policy` {
    private func policy(_ phase: SessionPhase, isNetworkUp: Bool = true) -> ForegroundRefreshPolicy {
        var policy = ForegroundRefreshPolicy(phase: phase)
        policy.network.report(isUp: isNetworkUp)
        return policy
    }

    @Test func `a refresh timer runs only in the foreground`() {
        for phase in [SessionPhase.unattended, .background] {
            #expect(policy(phase).wakeTime(for: .refresh(from: .seconds(5)), now: .zero) == nil)
            #expect(policy(phase).wakeTime(for: .recheckStore(at: .seconds(5)), now: .zero) == nil)
        }
        #expect(policy(.foreground).wakeTime(for: .refresh(from: .seconds(5)), now: .zero) == .seconds(5))
        #expect(policy(.foreground).wakeTime(for: .nothing, now: .zero) == nil)
    }

    @Test func `without a network no scheduled refresh starts, and a locked store is still checked`() {
        let policy = policy(.foreground, isNetworkUp: false)
        #expect(policy.wakeTime(for: .refresh(from: .seconds(5)), now: .zero) == nil)
        #expect(policy.wakeTime(for: .recheckStore(at: .seconds(5)), now: .zero) == .seconds(5))
    }

    @Test func `a timer for a refresh that is due in thirty days is limited to one hour`() {
        let wake = policy(.foreground).wakeTime(for: .refresh(from: .seconds(86_400 * 30)), now: .seconds(10))
        #expect(wake == .seconds(3610))
    }
}

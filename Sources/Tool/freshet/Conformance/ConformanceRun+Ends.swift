// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetKit

/// The end of the session.
extension ConformanceRun {
    mutating func ends() async throws {
        guard plan.contract.endpoints[.logout] != nil else {
            return add(.skipped(.logout, "the contract has none", weaknesses: ["no sign-out at the backend"]))
        }
        if tokens == nil { try await signInAgain() }
        guard let tokens else { return add(.skipped(.logout, "the session has ended, and there is no second sign-in")) }
        let values: [String: String?] = ["refresh_token": tokens.refresh, "access_token": tokens.access]
        guard let reaction = try await send(.logout, .logout, values, on: .logout)?.reaction else { return }
        add(.logout(reaction))
        guard [.delivered].contains(reaction.outcome) else { return }
        if findings.contains(where: { $0.step == .refresh && $0.agreement == .agrees }) {
            let step = ConformanceStep.refreshAfterLogout
            if let reaction = try await send(step, .refresh, values, on: .refresh)?.reaction {
                add(.deadRefresh(step, reaction))
            }
        }
        if plan.canCall, let reaction = try await call(.callAfterLogout, tokens.access) {
            add(.callAfterLogout(reaction))
        }
    }

    mutating func wrongPassword() async throws {
        guard let values = plan.wrongPassword else { return }
        guard let reaction = try await send(.wrongPassword, .password, values, on: .login)?.reaction else { return }
        add(.wrongPassword(reaction))
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetKit
import FreshetWire

/// A thief who refreshes before the owner.
extension DemoEnvironment {
    /// Performs act g.
    func thief() async throws -> ActResult {
        let loot = try stolenToken()
        let raw = RawRequest(server: address)
        let theft = try await raw.refresh(loot, .random())
        view.note("the thief is served: \(theft.answer.status)")
        guard let reason = try await signOutReasonAfterRefresh() else {
            return ActResult(held: false, text: "the owner was served beside the thief", expected: "a refusal")
        }
        let again = try await raw.refresh(theft.successor ?? loot, .random())
        let held = theft.answer.status == 200 && reason.isTheft && again.answer.status == 400
        return ActResult(
            held: held,
            text: "the owner is told: \(reason) The thief gets \(again.answer.status).",
            expected: "200 for the thief once, a theft told to its owner, then 400"
        )
    }

    /// Refreshes, and returns the reason if the session has ended.
    private func signOutReasonAfterRefresh() async throws -> SignOutReason? {
        do throws(SessionError) {
            try await session.refresh()
            return nil
        } catch {
            guard case .signedOut(let reason) = error else { throw error }
            return reason
        }
    }
}

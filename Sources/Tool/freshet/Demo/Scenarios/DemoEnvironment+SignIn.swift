// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetKit

/// Sign-in on two devices, and sign-out on one of them.
extension DemoEnvironment {
    /// Performs act a.
    func signIn() async throws -> ActResult {
        try await session.signUp(email: "ann@example.com", password: "correct horse battery")
        let other = try AuthSession(baseURL: address, store: InMemoryStore())
        try await other.signIn(.password(email: "ann@example.com", password: "correct horse battery"))
        let devices = try await session.devices()
        try await other.signOut()
        let left = try await session.devices()
        return ActResult(
            held: devices.count == 2 && left.count == 1,
            text:
                "\(devices.count == 2 ? "two" : "\(devices.count)") devices listed, \(left.count == 1 ? "one signed out again" : "\(left.count) left"); session stored in \(session.status.store.suffix(12))",
            expected: "two devices, and one after a sign-out"
        )
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetWire
import Testing

/// Strangers who try passwords and ask for codes, and the owner who signs in again on their own device.
@Suite(.timeLimit(.minutes(5)))
struct `A device that the account knows` {
    private let owner = SignInCredentials.password(email: "ann@example.com", password: "correct horse")

    /// Tries until nobody gets a try any more who is not known.
    private func useUp(_ world: TestEnvironment) async throws {
        let stranger = try AuthSession(baseURL: world.address, store: InMemoryStore())
        for _ in 0..<100 {
            do throws(SessionError) {
                try await stranger.signIn(.password(email: "ann@example.com", password: "wrong horse"))
            } catch {
                guard case .offline = error else { continue }
                return
            }
        }
        Issue.record("strangers may try for ever")
    }

    @Test func `a known device can sign in after another client exhausts the limit, but an unknown device cannot`()
        async throws
    {
        try await TestEnvironment.live { world in
            let session = try await world.signedIn()
            _ = try await session.refresh()
            try await session.signOut()
            try await useUp(world)
            try await session.signIn(owner)
            #expect(session.state.isSignedIn)
            let other = try AuthSession(baseURL: world.address, store: InMemoryStore())
            do throws(SessionError) {
                try await other.signIn(owner)
                Issue.record("an unknown device got a try")
            } catch {
                guard case .offline(let delay?, _) = error else {
                    Issue.record("\(error)")
                    return
                }
                #expect(delay > .zero)
            }
        }
    }

    @Test func `a known device can request an email code after another client exhausts the limit`() async throws {
        try await TestEnvironment.live { world in
            let session = try await world.signedIn()
            try await session.signOut()
            let stranger = try AuthSession(baseURL: world.address, store: InMemoryStore())
            do throws(SessionError) {
                for _ in 0..<100 { _ = try await stranger.requestEmailCode(email: "ann@example.com") }
                Issue.record("strangers may ask for ever")
            } catch {
                guard case .offline = error else { throw error }
            }
            #expect(try await session.requestEmailCode(email: "ann@example.com").email == "ann@example.com")
        }
    }

    @Test func `a new session on the store of a signed-out session counts as an unknown device`() async throws {
        try await TestEnvironment.live { world in
            let store = world.store("shared")
            let session = try await world.signedIn(store: store)
            try await session.signOut()
            try await useUp(world)
            // The same store in a process that starts anew is a stranger's.
            #expect(try store.read() == nil)
            let again = try AuthSession(baseURL: world.address, store: store)
            await #expect(throws: SessionError.self) { try await again.signIn(owner) }
            try await session.signIn(owner)
        }
    }
}

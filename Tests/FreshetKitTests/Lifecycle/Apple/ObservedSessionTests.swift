// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetTesting
import Observation
import SessionFixtures
import Testing

@testable import FreshetKit

@MainActor
@Suite(.timeLimit(.minutes(5))) struct `A session that a user interface observes` {
    let bench = SessionFixture()

    /// Waits for changes until something is true.
    private func until(_ isTrue: () -> Bool) async {
        while !isTrue() {
            await withCheckedContinuation { changed in
                withObservationTracking {
                    _ = isTrue()
                } onChange: {
                    // Told just before the change, on the actor that makes it and that this waits on.
                    changed.resume()
                }
            }
        }
    }

    @Test func `shows its state now and every further one`() async throws {
        let session = try bench.session()
        let observed = ObservedSession(session)
        #expect(observed.state == .signedOut(nil))
        try await session.signIn(.test)
        await until { observed.state == .active }
        #expect(observed.status == session.status && observed.state == .active)
        #expect(observed.status.userID != nil)
    }

    @Test func `lets go of the session when the user interface does`() async throws {
        weak var gone: AuthSession?
        weak var goneToo: ObservedSession?
        do {
            let observed = ObservedSession(try bench.session())
            (gone, goneToo) = (observed.session, observed)
            #expect(gone != nil && goneToo != nil)
        }
        #expect(gone == nil && goneToo == nil)
    }
}

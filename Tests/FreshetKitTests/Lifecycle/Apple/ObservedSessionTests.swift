// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetTesting
import Observation
import SessionFixtures
import Testing

@testable import FreshetKit

@MainActor
@Suite(.timeLimit(.minutes(5))) struct `Observed sessions` {
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

    @Test func `an observed session publishes its current state and later changes`() async throws {
        let session = try bench.session()
        let observed = ObservedSession(session)
        #expect(observed.state == .signedOut(nil))
        try await session.signIn(.test)
        await until { observed.state == .active }
        #expect(observed.status == session.status && observed.state == .active)
        #expect(observed.status.userID != nil)
    }

    @Test func `an observed session is released together with its session`() async throws {
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

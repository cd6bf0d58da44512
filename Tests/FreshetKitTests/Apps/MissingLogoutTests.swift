// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetAppBackends
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

/// The presets whose logout only a Freshet server has.
@Suite(.timeLimit(.minutes(5))) struct `A backend without a logout` {
    @Test(arguments: [AppBackend.App.authservice, .bitbasel, .creatist, .outbox], [404, 405])
    func `a logout that the backend does not support counts as delivered, and the session ends`(
        app: AppBackend.App,
        status: Int
    ) async throws {
        let transport = ManualTransport()
        let session = try AuthSession(
            contract: .named(app.rawValue),
            baseURL: try Fixtures.base(),
            store: InMemoryStore(),
            transport: transport,
            clock: TestClock()
        )
        try await session.signIn(.tokens(TokenGrant(accessToken: "a", refreshToken: "r", expiresIn: .seconds(600))))
        let events = session.events
        async let signedOut: Void = session.signOut()
        try await transport.next().answer(status, json: #"{"detail":"Not Found"}"#)
        for await event in events {
            guard case .logoutDelivered(let isTold) = event.kind else { continue }
            #expect(isTold, "a logout that is not final is sent again")
            break
        }
        try await signedOut
        #expect(session.state == .signedOut(.requested))
    }
}

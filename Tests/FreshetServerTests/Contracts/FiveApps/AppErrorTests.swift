// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetTesting
import IdentityFixtures
import Testing

@testable import FreshetServer

/// Errors that have no word of their own in a contract are told in its shape all the same.
@Suite(.timeLimit(.minutes(5)))
struct `Errors at an app's paths` {
    @Test func `a GET of bitbasel's socket without upgrade gets 426, an Upgrade header and the app's error shape`()
        async throws
    {
        let apple = try await AppleUnderTest()
        try await AppServer.serving(.bitbasel, apple) { server, _ async throws in
            let answer = try await server.get("/ws/feed?token=x")
            #expect(answer.status == 426)
            #expect(answer["/detail"]?.isEmpty == false && answer["/error"] == nil)
            #expect(answer.header("Upgrade") == "websocket")
        }
    }
}

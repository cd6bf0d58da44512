// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import HTTPTypes
import ServerFixtures
import Testing

@testable import FreshetIdentity
@testable import FreshetServer

extension ServerUnderTest {
    /// Waits until the running server has heard, by its own looks, of an end that somebody else made.
    func hearOfEnd(of grant: SessionTokens, _ caller: TestHTTPClient) async throws {
        let messages = caller.log.messagesFromNow()
        if try await caller.send(.get, NativePath.me, bearer: grant.accessToken).status == 200 {
            for await message in messages where message == "session ended" { break }
        }
        #expect(try await caller.send(.get, NativePath.me, bearer: grant.accessToken).status == 401)
        // It is counted once it is clear that no request of this server made it.
        caller.parts.sessions.publishUnclaimedEnds(foundBefore: .now)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import Testing

@testable import FreshetHTTP

@Suite struct `The answer to a refresh` {
    @Test(
        arguments: [1_800_000_000, 1_800_000_000.25, 1_763_762_400.123, 0, 1.001, 253_402_300_799.999],
        [nil, "a+b/c@example.com", "\"quoted\\\"@example.com", "münchen@example.com"]
    )
    func `the direct JSON encoding of a token or user response equals JSONEncoder's output`(
        moment: Double,
        email: String?
    ) throws {
        var grant = SessionTokens(
            accessToken: "eyJ.eyJ-_.sig",
            expiresIn: 600,
            refreshToken: "frt_AQEA-_",
            refreshExpiresIn: 2_592_000,
            sessionID: .random(),
            user: UserInfo(id: SessionID.random().description, email: email),
            serverTime: moment
        )
        for hint in [nil, 480] {
            grant.refreshAfter = hint
            #expect(try grant.json.text == String(decoding: JSONResponse.encode(grant), as: UTF8.self))
            let me = Me(user: grant.user, sessionID: grant.sessionID)
            #expect(try me.json.text == String(decoding: JSONResponse.encode(me), as: UTF8.self))
        }
    }
}

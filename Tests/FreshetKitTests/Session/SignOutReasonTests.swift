// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import Testing

@testable import FreshetKit
@testable import SessionFixtures

@Suite struct `Sign-out reasons` {
    @Test(arguments: KnownEndReason.allCases)
    func `each end reason of the server has a sign-out reason with the server's description`(reason: KnownEndReason)
        throws
    {
        let own = try #require(SignOutReason(rawValue: reason.rawValue))
        #expect(SignOutReason.allCases.contains(own))
        #expect(own == SignOutReason(wire: reason.rawValue))
        #expect(own.description == reason.details.userSentence)
        #expect(own.isTheft == (reason.details.cause == .theft))
    }

    @Test(arguments: SignOutReason.allCases)
    func `a sign-out reason is stored as its name`(reason: SignOutReason) throws {
        let stored = try JSONEncoder().encode([reason])
        #expect(String(decoding: stored, as: UTF8.self) == #"["\#(reason.rawValue)"]"#)
        #expect(try JSONDecoder().decode([SignOutReason].self, from: stored) == [reason])
    }

    @Test func `the stored names of sign-out reasons do not change`() {
        #expect(
            SignOutReason.allCases.map(\.rawValue).prefix(19) == [
                "requested", "replaced", "removed", "unspecified", "unrenewable", "expired", "revoked", "logout",
                "logout_all", "revoked_by_user", "revoked_by_operator", "fork", "reuse", "stale_holder", "idle_timeout",
                "absolute_timeout", "user_disabled", "session_limit", "provider_revoked",
            ]
        )
    }

    @Test func `an unknown sign-out reason keeps its name, and does not count as theft`() {
        let reason = SignOutReason.other("newer_reason")
        #expect(SignOutReason(rawValue: "newer_reason") == reason)
        #expect(reason.description.contains("(newer_reason)"))
        #expect(!reason.isTheft)
        #expect(SignOutReason(rawValue: "a sentence") == nil)
    }

    @Test(arguments: [("newer_reason", SignOutReason.other("newer_reason")), ("a sentence", .unspecified)])
    func `a session record of a newer version with an unknown sign-out reason is readable`(
        stored: String,
        reason: SignOutReason
    ) throws {
        let record = SessionRecord(origin: Fixtures.origin, ended: .fork)
        let text = try String(decoding: record.encoded(), as: UTF8.self)
        let newer = Data(text.replacing("fork", with: stored).utf8)
        #expect(try SessionRecord(decoding: newer).ended == reason)
    }
}

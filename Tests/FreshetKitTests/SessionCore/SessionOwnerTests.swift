// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetKit

@Suite struct `Owner of a request` {
    private let origin = "https://api.example.com:443"

    @Test(arguments: [
        "u1", "", "user ", "aB c", "x at https://other.example", " at ", "session s1", "\u{301}x", "x\u{600}",
    ])
    func `the name of an owner's folder contains the owner and the origin`(id: String) throws {
        for owner in [SessionOwner.user(id), .session(id)] {
            let parsed = try #require(SessionOwner.owner(ofFolder: owner.folder(at: origin)))
            #expect(parsed.owner == owner)
            #expect(parsed.origin == origin)
        }
    }

    @Test(
        arguments: [
            "", "user", "user u1", "user at https://a.example", "session at https://a.example",
            "account u1 at https://a.example", " at https://a.example",
        ]
    )
    func `a folder name in another format has no owner`(text: String) {
        #expect(SessionOwner.owner(ofFolder: FileName.escaped(text)) == nil)
    }

    @Test func `a folder name that is not escaped has no owner`() {
        #expect(SessionOwner.owner(ofFolder: "user u1 at https://a.example") == nil)
    }

    @Test func `a user's request belongs to every session of the user, a session's request only to that session`()
        throws
    {
        var status = SessionStatus(state: .active, isSaved: true, hasPendingLogout: false, store: "memory")
        #expect(SessionOwner(status) == nil)
        status.sessionID = "s1"
        #expect(SessionOwner(status) == .session("s1"))
        status.userID = "u1"
        #expect(SessionOwner(status) == .user("u1"))
        status.sessionID = "s2"
        #expect(SessionOwner.user("u1").isSignedIn(by: status))
        #expect(!SessionOwner.user("u2").isSignedIn(by: status))
        #expect(SessionOwner.session("s2").isSignedIn(by: status))
        #expect(!SessionOwner.session("s1").isSignedIn(by: status))
    }

    @Test func `users whose IDs are equivalent are different owners, as their backends compare bytes`() {
        var status = SessionStatus(state: .active, isSaved: true, hasPendingLogout: false, store: "memory")
        (status.sessionID, status.userID) = ("s1", "\u{E9}")
        #expect(SessionOwner.user("\u{E9}").isSignedIn(by: status))
        #expect(!SessionOwner.user("e\u{301}").isSignedIn(by: status))
        #expect(SessionOwner.user("\u{E9}") != .user("e\u{301}"))
        #expect(SessionOwner.user("a") != .session("a"))
        #expect(Set([SessionOwner.user("\u{E9}"), .user("e\u{301}"), .user("\u{E9}")]).count == 2)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite struct `Session record` {
    let record = Fixtures.record(Fixtures.stored(3, intent: "i"))

    @Test func `a decoded session record equals the encoded one`() throws {
        let again = try SessionRecord(decoding: record.encoded())
        #expect(again == record)
        #expect(again.session == Fixtures.stored(3, intent: "i"))
    }

    @Test func `a truncated session record is an error`() throws {
        let bytes = try record.encoded()
        for length in 0..<bytes.count {
            #expect(throws: SessionStoreError.self) { try SessionRecord(decoding: bytes.prefix(length)) }
        }
    }

    @Test(arguments: ["", "{}", "[]", "null", "x", #"{"version":0,"origin":"x","pendingLogouts":[]}"#])
    func `text that is no session record is reported as damaged, not as absent`(text: String) {
        #expect { try SessionRecord(decoding: Data(text.utf8)) } throws: { error in
            (error as? SessionStoreError)?.kind == .damaged
        }
    }

    // MARK: Versions

    /// A record as the first version of the format was written.
    private static let first = """
        {"isImported":true,"origin":"https://api.example.com:443","pendingLogouts":[],"session":{"accessToken":"a",\
        "askedAt":1800000000,"generation":3,"id":"s","intent":"i","lifetime":600,"refreshToken":"r"},"version":1}
        """

    @Test func `a record of the first version is read after an update`() throws {
        let record = try SessionRecord(decoding: Data(Self.first.utf8))
        #expect(record.session?.id == "s" && record.session?.generation == 3 && record.session?.userID == nil)
        #expect(record.isImported)
    }

    @Test func `the first version of the format reads a record of the current version after a downgrade`() throws {
        var session = Fixtures.stored(3, intent: "i")
        session.userSource = "jwt:sub"
        let record = Fixtures.record(session).addingPendingLogout(
            Fixtures.stored(1, id: .random()),
            at: "https://b",
            .bothTokens
        )
        let old = try JSONDecoder().decode(FirstRecord.self, from: record.imported().chosen(at: 1).encoded())
        #expect(old.version == 1 && old.origin == Fixtures.origin && old.pendingLogouts.count == 1)
        #expect(old.session?.refreshToken == session.refreshToken && old.session?.userID == "u1")
    }

    @Test func `unknown members of a record are ignored if its format version is known`() throws {
        let text = Self.first.replacing(#""id":"s""#, with: #""id":"s","mood":{"x":[1]}"#)
            .replacing(#"{"isImported""#, with: #"{"later":true,"isImported""#)
        let record = try SessionRecord(decoding: Data(text.utf8))
        #expect(record.session?.refreshToken == "r")
    }

    @Test(arguments: [#"{"version":2}"#, #"{"version":2,"origin":7,"session":"sealed"}"#, #"{"version":900}"#])
    func `a record of a newer format is unavailable, and neither damaged nor absent`(text: String) {
        #expect { try SessionRecord(decoding: Data(text.utf8)) } throws: { error in
            (error as? SessionStoreError)?.kind == .newerVersion
        }
    }

    @Test func `a sign-out keeps only the data that its delivery to the server requires`() throws {
        let ended = record.ending(.requested, keeping: .refreshToken)
        #expect(ended.session == nil)
        let logout = try #require(ended.pendingLogouts.first)
        #expect(logout.refreshToken == Fixtures.refreshToken(3) && logout.origin == Fixtures.origin)
        let text = try String(decoding: ended.encoded(), as: UTF8.self)
        #expect(!text.contains("access-3") && !text.contains("ada@"))
        #expect(ended.delivered(logout) == nil)
    }

    @Test func `a later sign-in does not lose a pending sign-out`() throws {
        let again = record.ending(.requested, keeping: .refreshToken)
            .signingIn(Fixtures.stored(0, id: Fixtures.otherSession), origin: Fixtures.origin, keeping: .refreshToken)
        let logout = try #require(again.pendingLogouts.first)
        #expect(again.ended == nil)
        #expect(again.delivered(logout)?.session?.id == Fixtures.otherSession?.description)
        #expect(again.delivered(logout)?.pendingLogouts == [])
    }

    @Test func `a sign-in adds a pending sign-out of the previous session, unless it is the same session`() {
        let other = record.signingIn(
            Fixtures.stored(0, id: Fixtures.otherSession),
            origin: Fixtures.origin,
            keeping: .refreshToken
        )
        #expect(other.pendingLogouts.map(\.sessionID) == [Fixtures.stored(3).id])
        let same = record.signingIn(Fixtures.stored(0), origin: Fixtures.origin, keeping: .refreshToken)
        #expect(same.pendingLogouts.isEmpty)
    }

    @Test func `a delivered sign-out keeps the server's reason for the end, and leaves no empty record`() throws {
        let logout = try #require(
            PendingLogout(origin: "https://b", session: Fixtures.stored(1, id: .random()), credentials: .refreshToken)
        )
        for (reason, isKept) in [(.fork, true), (.requested, false), (nil, false)] as [(SignOutReason?, Bool)] {
            let pending = SessionRecord(origin: Fixtures.origin, ended: reason).addingPendingLogout(logout)
            let delivered = pending.delivered(logout)
            #expect((delivered != nil) == isKept)
            #expect(delivered?.ended == (isKept ? reason : nil))
            #expect(pending.imported().delivered(logout)?.pendingLogouts == [])
        }
    }

    @Test func `a session has at most one pending sign-out`() throws {
        let sessions = (0..<2).map { _ in Fixtures.stored(1, id: .random()) }
        var record = record
        for index in [0, 1, 0] {
            record = record.addingPendingLogout(sessions[index], at: "https://b", .refreshToken)
        }
        #expect(record.pendingLogouts.map(\.sessionID) == [sessions[1].id, sessions[0].id])
    }

    @Test func `a sign-out clears the choice of the account and keeps the mark of an import`() throws {
        #expect(!record.isImported && record.imported().isImported)
        let chosen = record.imported().chosen(at: 7)
        #expect(chosen.chosenAt == 7)
        let ended = chosen.ending(.requested, keeping: .none)
        #expect(ended.chosenAt == nil && ended.isImported)
        #expect(ended.nilIfNothingPending() != nil)
        #expect(record.ending(.requested, keeping: .none).nilIfNothingPending() == nil)
        #expect(record.ending(.fork, keeping: .none).nilIfNothingPending() != nil)
    }

    @Test func `a pending sign-out that would end the session in use is dropped`() throws {
        let session = Fixtures.stored(3)
        // By its ID, or else by its refresh token, or else by its access token.
        var (renamed, exchanged) = (session, session)
        renamed.id = "x"
        exchanged.id = "y"
        exchanged.refreshToken = nil
        var other = exchanged
        other.accessToken = "other"
        for (logout, isKept) in [(session, false), (renamed, false), (exchanged, false), (other, true)] {
            #expect(
                record.addingPendingLogout(logout, at: Fixtures.origin, .bothTokens).pendingLogouts.isEmpty != isKept
            )
            #expect(record.addingPendingLogout(logout, at: "https://b", .bothTokens).pendingLogouts.count == 1)
            let signedOut = SessionRecord(origin: Fixtures.origin)
                .addingPendingLogout(logout, at: Fixtures.origin, .bothTokens)
            #expect(signedOut.with(session).pendingLogouts.isEmpty != isKept)
        }
    }

    @Test func `a pending sign-out has the tokens that its delivery requires`() {
        let session = Fixtures.stored(3)
        func logout(_ credentials: LogoutCredentials) -> PendingLogout? {
            PendingLogout(origin: Fixtures.origin, session: session, credentials: credentials)
        }
        #expect(logout(.none) == nil)
        #expect(logout(.refreshToken)?.refreshToken == session.refreshToken)
        #expect(logout(.refreshToken)?.accessToken == .some(nil))
        #expect(logout(.bothTokens)?.refreshToken == session.refreshToken)
        #expect(logout(.bothTokens)?.accessToken == session.accessToken)
    }

    @Test func `the server's reason for the end of a session is stored in the record`() throws {
        let ended = record.ending(.fork, keeping: .none)
        #expect(try SessionRecord(decoding: ended.encoded()).ended == .fork)
    }

    @Test func `a record keeps at most 32 pending sign-outs, including the latest`() {
        var record = record
        for generation in 0..<100 {
            record = record.addingPendingLogout(
                Fixtures.stored(1, id: .random()),
                at: "https://\(generation)",
                .refreshToken
            )
        }
        #expect(record.pendingLogouts.count == 32)
        #expect(record.pendingLogouts.last?.origin == "https://99")
    }
}

/// The record as the first version of the format decodes it.
private struct FirstRecord: Decodable {
    struct Session: Decodable {
        var id: String
        var generation: UInt64
        var refreshToken: String?
        var intent: String?
        var accessToken: String
        var askedAt: Double
        var askedSinceBoot: Double?
        var boot: String?
        var lifetime: Double
        var userID: String?
        var email: String?
        var endsAt: Double?
    }

    struct Logout: Decodable {
        var origin: String
        var sessionID: String
        var refreshToken: String?
        var accessToken: String?
    }

    var version: Int
    var origin: String
    var session: Session?
    var pendingLogouts: [Logout]
    var isImported: Bool?
    var chosenAt: Double?
}

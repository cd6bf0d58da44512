// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import Testing

@testable import FreshetKit

@Suite(.timeLimit(.minutes(5))) struct `Keychain items of an older version` {
    let keychain = FakeKeychain()
    let clock = TestClock()

    private func put(
        _ account: KeychainValue,
        _ data: Data,
        service: String? = nil,
        synchronizable: Bool = false
    ) {
        var attributes: KeychainCalls.Attributes = [
            .itemClass: .constant(.genericPassword), .account: account, .valueData: .data(data),
            .synchronizable: .flag(synchronizable), .accessible: .constant(.afterFirstUnlock),
        ]
        attributes[.service] = service.map { .text($0) }
        #expect(keychain.put(attributes) == .success)
    }

    private func put(_ account: String, _ text: String, service: String? = nil, synchronizable: Bool = false) {
        put(.text(account), Data(text.utf8), service: service, synchronizable: synchronizable)
    }

    private func session(_ contract: Contract) throws -> Session {
        try Session(
            contract: contract,
            baseURL: Fixtures.base(),
            store: keychain.store(service: "example"),
            transport: ManualTransport(),
            clock: clock
        )
    }

    @Test func `of MelChat stay for the user's other devices`() async throws {
        put("com.melchat.accessToken", "old-access", synchronizable: true)
        put("com.melchat.refreshToken", "old-refresh", synchronizable: true)
        put("com.melchat.tokenExpiresAt", "2027-02-14T08:00:00Z", synchronizable: true)
        put("authToken", "older")
        let session = try session(.named("melchat"))
        #expect(try await session.importSession(from: keychain.items()))
        #expect(try await session.accessToken().value == "old-access")
        #expect(keychain.itemCount == 4, "three that travel, and the session; the oldest is gone")
        let own = keychain.attributes.filter { $0[.synchronizable] == .flag(false) }
        #expect(own.map { $0[.service] } == [.text("example")])
    }

    @Test func `of Creatist become one item`() async throws {
        put("accessToken", "old-access", service: "creatist")
        put("refreshToken", "old-refresh", service: "creatist")
        put("tokenExpirationTime", "1800000600.25", service: "creatist")
        put("accessToken", "another app's", service: "stranger")
        let session = try session(.named("creatist"))
        #expect(try await session.importSession(from: keychain.items(service: "creatist")))
        #expect(try await session.accessToken().value == "old-access")
        #expect(keychain.itemCount == 2)
        #expect(try keychain.store(service: "example").read()?.session?.refreshToken == "old-refresh")
    }

    @Test(arguments: [("access_token", "refresh_token"), ("accessToken", "refreshToken")])
    func `of BitBasel become one item, under either pair of names`(access: String, refresh: String) async throws {
        // {"exp":1800000600}: the access token tells its own end.
        put(access, "e30.eyJleHAiOjE4MDAwMDA2MDB9.c2ln")
        put(refresh, "old-refresh")
        let session = try session(.named("bitbasel"))
        #expect(try await session.importSession(from: keychain.items()))
        #expect(keychain.itemCount == 1)
        #expect(try await session.accessToken().value == "e30.eyJleHAiOjE4MDAwMDA2MDB9.c2ln")
        let expiry = try #require(session.status.accessTokenExpiresAt)
        #expect(abs(expiry.timeIntervalSince1970 - 1_800_000_600) < 0.01)
        #expect(try keychain.store(service: "example").read()?.session?.refreshToken == "old-refresh")
    }

    /// An index names the token in use; the token lies under one service and what is known about it under another.
    private func layered(_ synchronizable: Bool = false) throws -> Contract {
        try Contract(
            json: Data(
                #"""
                {
                  "contract": 1, "name": "layered", "rotation": "always",
                  "endpoints": { "refresh": { "path": "/token", "form": { "refresh_token": "$refresh_token" } } },
                  "reply": { "access": "/access_token", "refresh": "/refresh_token" },
                  "storage": { "imports": [{
                    "access": { "itemNamedBy": "current", "service": "tokens", "at": "/token/access" },
                    "refresh": { "itemNamedBy": "current", "service": "tokens", "at": "/token/refresh" },
                    "expiresAt": { "itemNamedBy": "current", "service": "about", "at": "/expires/at", "unit": "s" },
                    "synchronizable": \#(synchronizable)
                  }] }
                }
                """#.utf8
            )
        )
    }

    private func putLayers(synchronizable: Bool = false) {
        let token = #"{ "token": { "access": "old-access", "refresh": "old-refresh" } }"#
        put("current", "id-7", synchronizable: synchronizable)
        put("id-7", token, service: "tokens", synchronizable: synchronizable)
        put("id-7", #"{ "expires": { "at": 1800000600 } }"#, service: "about", synchronizable: synchronizable)
        put("id-6", #"{ "token": { "access": "former" } }"#, service: "tokens", synchronizable: synchronizable)
    }

    @Test func `in layers, where one names the others and each holds JSON`() async throws {
        putLayers()
        let session = try session(layered())
        #expect(try await session.importSession(from: keychain.items()))
        #expect(try await session.accessToken().value == "old-access")
        let expiry = try #require(session.status.accessTokenExpiresAt)
        #expect(abs(expiry.timeIntervalSince1970 - 1_800_000_600) < 0.01)
        #expect(keychain.itemCount == 2, "the session, and the former token that nothing names")
        #expect(keychain.attributes.contains { $0[.account] == .text("id-6") })
    }

    @Test func `in layers that travel stay`() async throws {
        putLayers(synchronizable: true)
        let session = try session(layered(true))
        #expect(try await session.importSession(from: keychain.items()))
        #expect(keychain.itemCount == 5)
    }

    @Test(arguments: [
        "", "no JSON", "[]", #"{"token":{}}"#, #"{"token":{"access":null}}"#, #"{"token":{"access":""}}"#,
    ])
    func `in layers without a token are nothing`(text: String) async throws {
        put("current", "id-7")
        put("id-7", text, service: "tokens")
        let session = try session(layered())
        #expect(try await !session.importSession(from: keychain.items()))
        #expect(keychain.itemCount == 2, "what was not taken over is not removed")
    }

    @Test(arguments: [String.Encoding.utf8, .utf16, .utf16LittleEndian, .utf16BigEndian])
    func `are read in either encoding`(encoding: String.Encoding) throws {
        put(.text("key"), try #require("eyJ-token_1".data(using: encoding)))
        #expect(try keychain.items().text(of: LegacyItem("key")) == "eyJ-token_1")
    }

    @Test func `that hold no text are said to be damaged`() {
        put(.text("key"), Data([0xC3, 0x28, 0xA0]))
        #expect(fault { try keychain.items().text(of: LegacyItem("key")) }?.kind == .damaged)
    }

    @Test func `are found and removed though a library wrote their key as data`() throws {
        put(.data(Data("key".utf8)), Data("value".utf8))
        #expect(try keychain.items().text(of: LegacyItem("key")) == "value")
        try keychain.items().remove(LegacyItem("key"))
        #expect(keychain.itemCount == 0)
        try keychain.items().remove(LegacyItem("key"))
    }

    @Test func `of a locked device are unavailable, whichever way it says so, and are found later`() async throws {
        put("accessToken", "old-access")
        let session = try session(.named("creatist"))
        keychain.device = .beforeFirstUnlock
        for hidesItems in [false, true] {
            keychain.hidesItemsBeforeFirstUnlock = hidesItems
            let found = await failure(of: { try await session.importSession(from: keychain.items()) })
            guard case .storeUnavailable(let fault)? = found else {
                Issue.record("\(String(describing: found))")
                return
            }
            #expect(fault.kind == .locked)
        }
        keychain.device = .unlocked
        #expect(try await session.importSession(from: keychain.items()))
    }
}

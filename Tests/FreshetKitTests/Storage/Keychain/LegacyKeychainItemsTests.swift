// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetTesting
import SessionFixtures
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

    private func session(_ contract: Contract) throws -> AuthSession {
        try AuthSession(
            contract: contract,
            baseURL: Fixtures.base(),
            store: keychain.store(service: "example"),
            transport: ManualTransport(),
            clock: clock
        )
    }

    @Test func `synchronizable MelChat items are imported and kept for the user's other devices`() async throws {
        put("com.melchat.accessToken", "old-access", synchronizable: true)
        put("com.melchat.refreshToken", "old-refresh", synchronizable: true)
        put("com.melchat.tokenExpiresAt", "2027-02-14T08:00:00Z", synchronizable: true)
        put("authToken", "older")
        let session = try session(.named("melchat"))
        #expect(try await session.importSession(from: keychain.items()))
        #expect(try await session.accessToken().value == "old-access")
        #expect(keychain.itemCount == 5, "three that travel, the session, and one that was not read")
        let own = keychain.attributes.filter { $0[.synchronizable] == .flag(false) }
        #expect(own.map { $0[.service] } == [nil, .text("example")])
    }

    @Test func `Creatist items are imported into one item, and items of another service are kept`() async throws {
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
    func `BitBasel items are imported into one item, under either pair of names`(access: String, refresh: String)
        async throws
    {
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

    @Test func `layered JSON items are imported through the item that names them, and removed`() async throws {
        putLayers()
        let session = try session(layered())
        #expect(try await session.importSession(from: keychain.items()))
        #expect(try await session.accessToken().value == "old-access")
        let expiry = try #require(session.status.accessTokenExpiresAt)
        #expect(abs(expiry.timeIntervalSince1970 - 1_800_000_600) < 0.01)
        #expect(keychain.itemCount == 2, "the session, and the former token that nothing names")
        #expect(keychain.attributes.contains { $0[.account] == .text("id-6") })
    }

    @Test func `synchronizable layered items are kept after their import`() async throws {
        putLayers(synchronizable: true)
        let session = try session(layered(true))
        #expect(try await session.importSession(from: keychain.items()))
        #expect(keychain.itemCount == 5)
    }

    @Test(arguments: [
        "", "no JSON", "[]", #"{"token":{}}"#, #"{"token":{"access":null}}"#, #"{"token":{"access":""}}"#,
    ])
    func `layered items without an access token are neither imported nor removed`(text: String) async throws {
        put("current", "id-7")
        put("id-7", text, service: "tokens")
        let session = try session(layered())
        #expect(try await !session.importSession(from: keychain.items()))
        #expect(keychain.itemCount == 2, "what was not taken over is not removed")
    }

    @Test(arguments: [String.Encoding.utf8, .utf16, .utf16LittleEndian, .utf16BigEndian])
    func `an old keychain item is read in UTF-8 and in UTF-16`(encoding: String.Encoding) throws {
        put(.text("key"), try #require("eyJ-token_1".data(using: encoding)))
        #expect(try keychain.items().text(of: LegacyItem("key")) == "eyJ-token_1")
    }

    @Test func `an old keychain item that is not text is reported as damaged`() {
        put(.text("key"), Data([0xC3, 0x28, 0xA0]))
        #expect(fault { try keychain.items().text(of: LegacyItem("key")) }?.kind == .damaged)
    }

    @Test func `an old keychain item whose name was stored as data is found and removed`() throws {
        put(.data(Data("key".utf8)), Data("value".utf8))
        let items = keychain.items()
        #expect(try items.text(of: LegacyItem("key")) == "value")
        try items.remove(LegacyItem("key"))
        #expect(keychain.itemCount == 0)
        try items.remove(LegacyItem("key"))
    }

    @Test(arguments: ["bitbasel", "melchat", "creatist"])
    func `an import keeps items of other libraries with the same names`(contract: String) async throws {
        // Items of other libraries: the same names, under a service or not, and no item of the app's own.
        let names = try Contract.named(contract).document.storage.imports.flatMap { LegacyItem.named(in: [$0]) }
        for (index, name) in names.enumerated() where !name.isSynchronizable {
            put(name.key, "foreign", service: "com.other.sdk")
            if index.isMultiple(of: 2) { put(name.key, "foreign", service: "com.another.sdk") }
        }
        let count = keychain.itemCount
        let session = try session(.named(contract))
        _ = try? await session.importSession(from: keychain.items())
        #expect(keychain.attributes.count { $0[.service] != .text("example") } == count)
    }

    @Test func `items without a service are imported and removed, and items of other libraries are kept`() async throws
    {
        put("access_token", "foreign", service: "com.other.sdk")
        put("refresh_token", "foreign", service: "com.other.sdk")
        put("access_token", "e30.eyJleHAiOjE4MDAwMDA2MDB9.c2ln")
        put("refresh_token", "old-refresh")
        let session = try session(.named("bitbasel"))
        #expect(try await session.importSession(from: keychain.items()))
        #expect(try await session.accessToken().value == "e30.eyJleHAiOjE4MDAwMDA2MDB9.c2ln")
        #expect(
            keychain.attributes.map { $0[.service] } == [
                .text("com.other.sdk"), .text("com.other.sdk"), .text("example"),
            ]
        )
    }

    @Test func `an item name in several services is reported as damaged unless the service is known`() throws {
        put("access_token", "foreign", service: "com.other.sdk")
        put("access_token", "own", service: "com.example.old")
        let fault = fault { try keychain.items().text(of: LegacyItem("access_token")) }
        #expect(fault?.kind == .damaged && fault?.reason.contains("service") == true)
        #expect(try keychain.items(service: "com.example.old").text(of: LegacyItem("access_token")) == "own")
    }

    @Test func `an item name in several services that are stored as data is reported as damaged`() throws {
        for service in ["com.other.sdk", "com.example.old"] {
            let attributes: KeychainCalls.Attributes = [
                .itemClass: .constant(.genericPassword), .account: .text("access_token"),
                .service: .data(Data(service.utf8)), .valueData: .data(Data("token".utf8)),
            ]
            #expect(keychain.put(attributes) == .success)
        }
        #expect(fault { try keychain.items().text(of: LegacyItem("access_token")) }?.kind == .damaged)
    }

    @Test func `an old keychain item that was not read is removed only if its service is known`() throws {
        put("a", "1")
        put("a", "2", service: "own")
        put("a", "3", service: "other")
        try keychain.items().remove(LegacyItem("a"))
        #expect(keychain.itemCount == 3)
        try keychain.items(service: "own").remove(LegacyItem("a"))
        #expect(keychain.attributes.map { $0[.service] } == [nil, .text("other")])
        try keychain.items().remove(LegacyItem("a", service: "other"))
        #expect(keychain.attributes.map { $0[.service] } == [nil])
    }

    @Test func `a removal keeps another service's item that has the name of the item that was read`() throws {
        put("a", "1", service: "own")
        let items = keychain.items()
        #expect(try items.text(of: LegacyItem("a")) == "1")
        let query: KeychainCalls.Attributes = [.itemClass: .constant(.genericPassword), .account: .text("a")]
        #expect(keychain.calls().delete(query) == .success)
        put("a", "2", service: "other")
        try items.remove(LegacyItem("a"))
        #expect(keychain.itemCount == 1)
    }

    @Test func `an import before the first unlock fails as locked, even if no item is reported, and succeeds later`()
        async throws
    {
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

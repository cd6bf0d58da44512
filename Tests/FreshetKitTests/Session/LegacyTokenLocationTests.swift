// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite(.timeLimit(.minutes(5))) struct `Locations of an older version's tokens` {
    /// All that a location can say.
    private let location = LegacyTokenLocation(
        access: .init("session", service: "com.example", at: "tokens", "a/b~c"),
        refresh: "refresh",
        expiresAt: .milliseconds(.init("session", at: "expiry")),
        isSynchronizable: true
    )

    private func at(_ item: String) -> LegacyTokenLocation { LegacyTokenLocation(access: .init(item)) }

    @Test func `a contract that imports a location equals a contract file with the same location`() throws {
        var file = try #require(try JSONParser.parse(Data(Contract.outbox.text.utf8)).object)
        file["storage"] = try JSONParser.parse(
            Data(
                #"""
                {"imports": [{
                    "access": {"item": "session", "service": "com.example", "at": "/tokens/a~1b~0c"},
                    "refresh": {"item": "refresh"},
                    "expiresAt": {"item": "session", "at": "/expiry", "unit": "ms"},
                    "synchronizable": true
                }]}
                """#.utf8
            )
        )
        let expected = try ContractDocument(.object(file))
        let contract = Contract.outbox.importing(location)
        #expect(contract.document == expected)
        // As a file it is the same contract.
        #expect(try Contract(json: Data(contract.text.utf8)) == contract)
        #expect(try Contract(json: Data(contract.text.utf8)).document == expected)
        #expect(contract != .outbox && contract.name == "outbox")
    }

    @Test func `locations added to a preset precede the preset's own locations, in order`() throws {
        let contract = Contract.creatist.importing(at("new"), at("newer")).importing(at("newest"))
        let items = contract.document.storage.imports.map(\.access.item)
        #expect(items == ["newest", "new", "newer", "accessToken"].map { .named($0) })
        #expect(contract.document.storage.imports.dropFirst(3) == Contract.creatist.document.storage.imports[...])
    }

    @Test func `each expiry format of a location is written to the contract with the matching unit`() throws {
        let expiries: [LegacyTokenLocation.Expiry] = [.iso8601("e"), .seconds("e"), .milliseconds("e")]
        for (expiry, unit) in zip(expiries, [ExpirySource.Unit.iso8601, .seconds, .milliseconds]) {
            let contract = Contract.outbox.importing(LegacyTokenLocation(access: "a", expiresAt: expiry))
            #expect(contract.document.storage.imports.map(\.expiryUnit) == [unit])
            #expect(try Contract(json: Data(contract.text.utf8)).document == contract.document)
        }
    }

    @Test func `empty names in a location are omitted, and the contract can still be parsed`() throws {
        let named = LegacyTokenLocation(access: .init("a", service: ""), refresh: "", expiresAt: .seconds(""))
        let contract = Contract.outbox.importing(LegacyTokenLocation(access: ""), named)
        #expect(contract == .outbox.importing(at("a")))
        #expect(try Contract(json: Data(contract.text.utf8)).document == contract.document)
    }

    @Test func `a session with a preset imports tokens from a location that the app adds`() async throws {
        let old = InMemoryLegacyTokenSource([
            "sb-notes-auth-token":
                #"{"access_token":"old-access","refresh_token":"old-refresh","expires_at":1800000600}"#
        ])
        let item = "sb-notes-auth-token"
        let session = try AuthSession(
            contract: .supabase.importing(
                LegacyTokenLocation(
                    access: .init(item, at: "access_token"),
                    refresh: .init(item, at: "refresh_token"),
                    expiresAt: .seconds(.init(item, at: "expires_at"))
                )
            ),
            baseURL: Fixtures.base(),
            store: InMemoryStore(),
            configuration: configuration,
            transport: ManualTransport(),
            clock: TestClock()
        )
        #expect(try await session.importSession(from: old))
        #expect(try await session.accessToken().value == "old-access")
        #expect(session.status.isRenewable && old.keys.isEmpty)
    }

    private var configuration: AuthSession.Configuration {
        var configuration = AuthSession.Configuration()
        configuration.contractValues = ["api_key": "key"]
        return configuration
    }
}

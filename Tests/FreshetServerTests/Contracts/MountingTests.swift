// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ContractFixtures
import Foundation
import FreshetContract
import FreshetWire
import HTTPTypes
import ServerFixtures
import Testing

@testable import FreshetContractServer
@testable import FreshetServer
@testable import FreshetSystem

@Suite(.timeLimit(.minutes(5)))
struct `Mounting contracts` {
    let server = ServerUnderTest()

    private static let account = #"{"email":"ann@example.com","password":"correct horse"}"#

    /// The sentence with which a server refuses to start.
    private func refusal(_ contracts: ServedContract...) throws -> String {
        var configuration = server.configuration
        configuration.contracts = contracts
        do {
            _ = try TokenServer(configuration, log: server.log.logger)
        } catch let error as any StartupError {
            return error.description
        }
        Issue.record("the server starts")
        return ""
    }

    @Test func `contracts are served at the root and under a prefix, beside the native paths`() async throws {
        let wharf = try ServedContract(text: ContractFixture.wharf, prefix: "/wharf")
        try await server.run(server.configuration(wharf, try ServedContract(text: ContractFixture.quay))) {
            caller async throws in
            let first = try await caller.post("/wharf/signup", json: Self.account)
            #expect(first.status == 200)
            #expect(first["/refresh_token"]?.hasPrefix("frt_") == true)
            let second = try await caller.post("/quay/login", json: Self.account)
            #expect(second["/left"] == "300")
            #expect(try await caller.signIn().expiresIn == 600)
            #expect(try await caller.post("/signup", json: Self.account).status == 404)
        }
    }

    @Test func `one contract can be served at two paths, with the same sessions`() async throws {
        let contracts = [
            try ServedContract(text: ContractFixture.wharf),
            try ServedContract(text: ContractFixture.wharf, prefix: "/old/api"),
        ]
        try await server.run(server.configuration(contracts[0], contracts[1])) { caller async throws in
            let grant = try await caller.post("/signup", json: Self.account)
            let token = try #require(grant["/refresh_token"])
            // It is one contract at two places, so its sessions are at home in both.
            #expect(try await caller.post("/old/api/refresh", json: #"{"refresh_token":"\#(token)"}"#).status == 200)
        }
    }

    @Test func `two contracts at the same path are refused with an error that names both`() throws {
        let other = ContractFixture.wharf.replacing(#""name": "wharf""#, with: #""name": "jetty""#)
        let sentence = try refusal(try ServedContract(text: ContractFixture.wharf), try ServedContract(text: other))
        #expect(sentence.contains("'jetty'"))
        #expect(sentence.contains("'wharf'"))
        #expect(sentence.contains("--contract jetty=/jetty"))
    }

    @Test func `a contract with a path of the native API is refused`() throws {
        let text = ContractFixture.wharf.replacing(#""/refresh""#, with: #""/v1/refresh""#)
        #expect(try refusal(try ServedContract(text: text)).contains("this server itself both answer POST /v1/refresh"))
    }

    @Test func `a contract path that also matches a native path with a parameter is refused`() throws {
        let text = ContractFixture.wharf.replacing(#""path": "/ships""#, with: #""path": "/v1/sessions/ships""#)
        #expect(try refusal(try ServedContract(text: text)).contains("/v1/sessions/{id}"))
    }

    @Test func `a contract with a request and a resource at the same path is refused`() throws {
        let text = ContractFixture.wharf.replacing(#""path": "/ships""#, with: #""path": "/me""#)
        #expect(try refusal(try ServedContract(text: text)).contains("'wharf' has two answers at GET /me"))
    }

    @Test func `two contracts of one name are refused`() throws {
        let other = ContractFixture.quay.replacing(#""name": "quay""#, with: #""name": "wharf""#)
        let sentence = try refusal(try ServedContract(text: ContractFixture.wharf), try ServedContract(text: other))
        #expect(sentence.contains("two contracts are called 'wharf'"))
    }

    @Test func `a contract without a server section is refused`() throws {
        var contract = try ServedContract(text: ContractFixture.wharf)
        contract.document.server = nil
        #expect(try refusal(contract).contains("no `server` section"))
    }

    @Test func `unknown paths and wrong methods of a contract get the same errors as native paths`() async throws {
        let wharf = try ServedContract(text: ContractFixture.wharf, prefix: "/wharf")
        try await server.run(server.configuration(wharf)) { caller async throws in
            #expect(try await caller.send(.get, "/wharf/nothing").error == "404 not_found")
            let wrong = try await caller.send(.get, "/wharf/refresh")
            #expect(wrong.error == "405 method_not_allowed")
            #expect(wrong.headers[.allow] == "POST")
            let contract = try await caller.send(.head, "/wharf/ships")
            let native = try await caller.send(.head, NativePath.me)
            #expect(contract.status == native.status)
        }
    }
}

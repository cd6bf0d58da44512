// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ContractFixtures
import Testing

@testable import FreshetContract

@Suite struct `Decoded contracts` {
    private let document: ContractDocument
    private let template: (String) throws -> Template = { try Template($0) }

    init() throws { document = try ContractDocument(reading: FullContract.text.utf8) }

    @Test func `a decoded contract has its name, title, variables and secrets`() {
        #expect(document.name == "full-1")
        #expect(document.title == "Everything")
        #expect(document.variables.keys.sorted() == ["client_id", "tenant"])
        #expect(document.variables["client_id"]?.defaultValue == "app")
        #expect(document.secrets["api_key"]?.about == "Given at run time.")
    }

    @Test func `a decoded contract has its endpoints with their methods, paths and bodies`() throws {
        let login = try #require(document.endpoints[.password])
        #expect(login.method == "PUT")
        #expect(login.path == (try template("/${tenant}/login")))
        #expect(login.timeout == 20)
        #expect(login.contentType == "application/vnd.full+json")
        #expect(
            login.names == ["tenant", "client_id", "api_key", "nonce", "email", "password"]
        )
        let refresh = try #require(document.endpoints[.refresh])
        #expect(refresh.method == "POST")
        #expect(refresh.basic?.password == (try template("$api_key")))
        #expect(refresh.body == .form([NamedTemplate(name: "token", template: try template("$refresh_token"))]))
        #expect(document.endpoints[.logoutAll]?.attachesAccessToken == true)
        #expect(document.endpoints[.me]?.body == Endpoint.Body.none)
    }

    @Test func `a decoded contract has the places of tokens, expiry and error messages`() throws {
        #expect(document.reply.encoding == .auto)
        #expect(document.reply.anyCasing)
        #expect(document.reply.access.map(\.description) == ["/access_token", "header:Authorization"])
        #expect(document.reply.refresh.map(\.description) == ["/refresh_token", "cookie:refresh"])
        #expect(document.reply.envelope.map(\.description) == ["/data", ""])
        #expect(document.reply.expiryBounds == 30...86400)
        #expect(document.reply.refreshExpiry?.extends == true)
        #expect(document.reply.expiry.last == .assumed(900))
        #expect(document.errorMessage.map(\.description) == ["/message", "/detail"])
    }

    @Test func `a decoded contract has its rules in order`() {
        #expect(document.rules.map(\.outcome) == [.sessionEnded, .accessExpired, .transient, .accessExpired])
        #expect(
            document.rules[0].conditions.map(\.test) == [
                .oneOf([.string("invalid_grant"), .number(JSONNumber(7)), .null])
            ]
        )
        #expect(document.rules[1].channels == [.api, .socket])
        #expect(document.rules[3].closeCodes == [4401...4401, 4403...4405])
        #expect(document.rules[3].statuses == nil)
    }

    @Test func `a decoded contract has its rotation, policy, socket, storage and facts`() throws {
        #expect(document.rotation == .optional)
        #expect(document.reuseGrace == 30)
        #expect(document.policy == ContractRefreshPolicy(refreshBefore: 120.5, minimumInterval: 10))
        #expect(document.replayMethods == ["GET", "PUT"])
        #expect(document.requestAuthorization.hosts == ["api.example.com"])
        #expect(document.socket?.token == .header("X-Access", scheme: "Token"))
        #expect(document.storage.imports.first?.expiryUnit == .seconds)
        #expect(document.storage.imports.first?.access == StorageDefinition.Place(item: .named("old.access")))
        let current = StorageDefinition.Place(item: .named("old.current"), service: "old.index")
        let token = StorageDefinition.Place(
            item: .namedBy(current),
            service: "old.tokens",
            pointer: JSONPointer("/access~1token")
        )
        #expect(document.storage.imports.last?.access == token)
        #expect(document.facts.first?.fact.checked == [.documentation, .unverified])
    }

    @Test func `a minimal contract is decoded with default values`() throws {
        let text = #"{"contract":1,"name":"a","reply":{"access":"/t"},"rotation":"none"}"#
        let document = try ContractDocument(reading: text.utf8)
        #expect(document.title == "a")
        #expect(document.requestAuthorization == RequestAuthorization())
        #expect(document.requestAuthorization.scheme == "Bearer")
        #expect(document.policy.refreshBefore == nil)
        #expect(document.policy.minimumInterval == nil)
        #expect(document.replayMethods == nil)
        #expect(document.storage == StorageDefinition())
        #expect(document.endpoints.isEmpty && document.rules.isEmpty && document.server == nil)
    }

    @Test(arguments: ["login.password", "login.x", "login.Sms-2_b", "refresh", "sessions.list", "me"])
    func `a valid endpoint name is parsed, and sign-ins are recognized by their prefix`(text: String) {
        #expect(EndpointName(text)?.text == text)
        #expect(EndpointName(text)?.isLogin == text.hasPrefix("login."))
    }

    @Test(arguments: ["", "login", "login.", "login.a b", "login.a\n", "login.é", "Refresh", "refresh ", "sessions"])
    func `an invalid endpoint name is refused`(text: String) {
        #expect(EndpointName(text) == nil)
    }
}

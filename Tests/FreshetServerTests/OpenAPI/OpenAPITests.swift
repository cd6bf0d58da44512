// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetEngine
import FreshetWire
import HTTPTypes
import ServerFixtures
import Testing

@testable import FreshetHTTP
@testable import FreshetMail
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `The OpenAPI document` {
    let server = ServerUnderTest()

    /// A server with everything that can be switched on.
    private func everything() throws -> ServerConfiguration {
        var configuration = try server.configurationWithClient()
        // Asked for when somebody signs in, and not before.
        configuration.appleKeys = URL(string: "https://127.0.0.1:1/keys")
        configuration.appleAudiences = ["com.example.app"]
        return configuration
    }

    private func table(_ configuration: ServerConfiguration) async throws -> RouteTable {
        let parts = try ServerParts(
            configuration,
            log: server.log.logger,
            clock: ClockSource { .init(milliseconds: 0) }
        )
        let table = try ServerRoutes(parts, listener: nil).table
        try await parts.shutDown()
        return table
    }

    @Test(arguments: ["Error", "EndedSessionList"])
    func `the OpenAPI schemas list every reason for an ended session`(schema: String) throws {
        let text = try #require(OpenAPISchema.all.first { $0.name == schema }?.text)
        for reason in EndReason.allCases { #expect(text.contains("\(reason.rawValue), ")) }
    }

    @Test func `the OpenAPI document describes every API route, and no other route`() async throws {
        let table = try await table(try everything())
        let routes = Set(
            table.routes.filter { !table.pages.contains($0.path) }.map { OpenAPIDocument.name($0.method, $0.path) }
        )
        let described = Set(OpenAPIOperation.all.map { OpenAPIDocument.name($0.method, $0.path) })
        #expect(routes.subtracting(described) == [], "routes without a description")
        #expect(described.subtracting(routes) == [], "descriptions without a route")
        #expect(OpenAPIDocument(table).routes == routes)
        #expect(Set(OpenAPIOperation.all.map(\.id)).count == OpenAPIOperation.all.count)
    }

    @Test func `the OpenAPI document omits the routes of disabled features`() async throws {
        var configuration = server.configuration
        configuration.mail = .none
        let routes = OpenAPIDocument(try await table(configuration)).routes
        #expect(!routes.contains("POST /v1/login/code"))
        #expect(!routes.contains("POST /oauth/introspect"))
        #expect(routes.contains("POST /oauth/token"))
    }

    @Test func `the OpenAPI document is served, and all its references resolve`() async throws {
        try await server.run(try everything()) { caller in
            let reply = try await caller.get("/openapi.json", bearer: nil)
            #expect(reply.status == 200)
            #expect(reply["/openapi"] == "3.1.0")
            let document = try #require(reply.json?.object)
            let schemas = try #require(document["components"]?.object?["schemas"]?.object)
            #expect(Set(schemas.names) == Set(OpenAPISchema.all.map(\.name)))
            var references: Set<String> = []
            func collect(_ value: JSONValue) {
                for member in value.object?.members ?? [] {
                    if member.name == "$ref", let text = member.value.string { references.insert(text) }
                    collect(member.value)
                }
                for item in value.array ?? [] { collect(item) }
            }
            collect(.object(document))
            let known = Set(schemas.names.map { "#/components/schemas/\($0)" })
            #expect(references.subtracting(known) == [])
            #expect(known.subtracting(references) == [], "schemas that nothing uses")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import IdentityFixtures
import NIOConcurrencyHelpers
import ServerFixtures
import Testing

@testable import FreshetContractServer
@testable import FreshetHTTP
@testable import FreshetIdentity
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `Requests of a session that ended meanwhile` {
    let server = ServerUnderTest()
    let apple: AppleUnderTest

    init() async throws { apple = try await AppleUnderTest() }

    /// A server with everything that can be switched on.
    private func everything(_ server: ServerUnderTest) throws -> ServerConfiguration {
        var configuration = try server.configurationWithClient()
        let keys = server.folder.appending(path: "apple.json")
        try apple.publish(to: keys)
        configuration.appleKeys = keys
        configuration.appleAudiences = [AppleUnderTest.app]
        configuration.contracts = [try ServedContract(text: SuspendedRoute.dock)]
        configuration.signIn.limits.notices.capacity = 1000
        // However busy the machine is, a held request waits for the test and not for a timer.
        configuration.limits.headTimeout = .seconds(120)
        configuration.limits.bodyTimeout = .seconds(120)
        return configuration
    }

    @Test func `every route is tested with a held request, or is listed as acting for no session`() async throws {
        try await server.run(try everything(server)) { caller in
            let table = try ServerRoutes(caller.parts, listener: nil).table
            let routes = Set(table.routes.map { OpenAPIDocument.name($0.method, $0.path) })
                .filter { !$0.contains("/account/style-") && !$0.contains("/account/icon-") }
            let rows = Set(SuspendedRoute.all.map(\.name)), others = Set(SuspendedRoute.others.keys)
            #expect(routes.subtracting(rows).subtracting(others) == [], "routes without a row")
            #expect(rows.union(others).subtracting(routes) == [], "rows without a route")
            #expect(rows.intersection(others) == [])
        }
    }

    @Test func `operations described without authentication succeed without credentials`() async throws {
        try await server.run(try everything(server)) { caller in
            for operation in SuspendedRoute.publicOperations {
                let answer = try await caller.send(operation.method, operation.path)
                let successes = operation.answers.map(\.status).filter { $0 < 400 }
                #expect(successes.contains(answer.status), "\(operation.path)")
            }
        }
    }

    @Test(arguments: SuspendedRoute.all.indices)
    func `a request to every route of a session succeeds while the session is active`(index: Int) async throws {
        let route = SuspendedRoute.all[index]
        try await server.run(try everything(server)) { caller in
            let scene = try await SuspendedRequestFixture(caller, server, apple)
            let before = try scene.contents()
            let request = try await route.request(scene, try scene[route.kind])
            let client = try await caller.connect()
            await client.write(request.first)
            await client.write(request.rest)
            let answer = try await client.answer()
            #expect(answer.status == route.accepted, "\(route.name) \(route.variant): \(answer.body)")
            if route.effect == .changes { #expect(try scene.contents() != before, "\(route.name)") }
            if route.name == "GET /account" { #expect(answer.body.contains("Your devices")) }
            if route.name == "POST /oauth/introspect" { #expect(answer.body.contains(#""active":true"#)) }
            await client.disconnect()
        }
    }

    /// How the sessions end, on which database, and whether the server has heard of it when the rest of a request comes.
    struct Ended: Sendable {
        var engine: DatabaseEngine
        var ending: SuspendedRequestFixture.Ending
        var isKnown: Bool

        /// The revoked sessions in memory are the same on every database.
        static let all = DatabaseEngine.wanted.flatMap { engine in
            SuspendedRequestFixture.Ending.allCases.flatMap { ending in
                (engine == .sqlite ? [true, false] : [false]).map {
                    Ended(engine: engine, ending: ending, isKnown: $0)
                }
            }
        }
    }

    @Test(arguments: Ended.all)
    func `a request whose session ended after the request's head arrived is refused and changes nothing`(ended: Ended)
        async throws
    {
        let (ending, isKnown) = (ended.ending, ended.isKnown)
        let place = ended.engine == .postgres ? try DatabaseEngine.postgres.make() : nil
        let server = place.map { ServerUnderTest(database: $0.postgres) } ?? self.server
        try await server.run(try everything(server)) { caller in
            let scene = try await SuspendedRequestFixture(caller, server, apple)
            let routes = SuspendedRoute.all.filter {
                ending.concerns($0.kind) && (isKnown || $0.effect != .readsByMemory)
            }
            var held: [(route: SuspendedRoute, client: SocketClient, rest: String)] = []
            for route in routes {
                let request = try await route.request(scene, try scene[route.kind])
                let client = try await caller.connect()
                await client.write(request.first)
                held.append((route, client, request.rest))
            }
            if isKnown { try await scene.end(ending) } else { try scene.endElsewhere(ending, at: server.readClock()) }
            let before = try scene.contents()
            for (route, client, rest) in held {
                await client.write(rest)
                let answer = try await client.answer()
                let name = "\(route.name) \(route.variant)"
                #expect(answer.status == route.refused, "\(name): \(answer.body)")
                if route.refused == 303 { #expect(answer.headers["location"] == "/account", "\(name)") }
                if route.name == "GET /account" { #expect(!answer.body.contains("Your devices")) }
                if route.name == "POST /oauth/introspect" { #expect(answer.body.contains(#""active":false"#)) }
                #expect(try scene.contents() == before, "\(name)")
                await client.disconnect()
            }
        }
    }

    @Test
    func `a request to link or unlink a sign-in method or set a first password is refused without a fresh sign-in`()
        async throws
    {
        try await server.run(try everything(server)) { caller in
            let scene = try await SuspendedRequestFixture(caller, server, apple)
            let fresh = SuspendedRoute.all.filter {
                $0.name.contains("/link/") && $0.variant != "with the password" || $0.variant == "the account's first"
            }
            #expect(fresh.count == 5)
            server.advance(by: StepUp.freshness + .milliseconds(1))
            let before = try scene.contents()
            var accounts = scene.accounts
            for index in accounts.indices {
                accounts[index].own = try await caller.refresh(accounts[index].own.refreshToken, .random()).json()
            }
            for route in fresh {
                let account = try #require(accounts.first { $0.kind == route.kind })
                let request = try await route.request(scene, account)
                let client = try await caller.connect()
                await client.write(request.first + request.rest)
                let answer = try await client.answer()
                #expect(answer.status == 403 && answer.body.contains("step_up_required"), "\(route.name)")
                await client.disconnect()
            }
            #expect(try scene.contents() == before)
        }
    }

    @Test(arguments: SuspendedRoute.all.indices.filter { SuspendedRoute.all[$0].effect == .changes })
    func `a request changes everything or nothing, regardless of when its session ends during the request`(index: Int)
        async throws
    {
        let route = SuspendedRoute.all[index]
        try await server.run(try everything(server)) { caller in
            var refusals = 0
            for reading in 1... {
                let scene = try await SuspendedRequestFixture(caller, server, apple)
                let before = try scene.contents()
                let request = try await route.request(scene, try scene[route.kind])
                let client = try await caller.connect()
                let now = server.readClock()
                let progress = NIOLockedValueBox((readings: 0, found: [String](), left: [String]()))
                server.interruptRequests {
                    let isDue = progress.withLockedValue { progress in
                        progress.readings += 1
                        return progress.readings == reading
                    }
                    guard isDue, let found = try? scene.contents() else { return }
                    try? scene.endElsewhere(.logoutAll, at: now)
                    let left = (try? scene.contents()) ?? []
                    progress.withLockedValue { ($0.found, $0.left) = (found, left) }
                }
                await client.write(request.first + request.rest)
                let answer = try await client.answer()
                server.interruptRequests(nil)
                await client.disconnect()
                let (readings, found, left) = progress.withLockedValue { $0 }
                // The request ends before this many clock readings.
                if readings < reading { break }
                try #require(!left.isEmpty)
                if found == before {
                    refusals += 1
                    // The device that a form names is signed out, too.
                    let refusals = [route.refused] + (route.name.contains("/devices/") ? [404] : [])
                    #expect(refusals.contains(answer.status), "\(route.name) \(route.variant), look \(reading)")
                }
                // All changes were made before the session ended.
                #expect(try scene.contents() == left, "\(route.name) \(route.variant), look \(reading)")
            }
            #expect(refusals > 0)
        }
    }
}

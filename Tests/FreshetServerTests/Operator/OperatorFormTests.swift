// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import Testing

@testable import FreshetDatabase
@testable import FreshetHTTP
@testable import FreshetIdentity
@testable import FreshetPages
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `Forms of an operator who was signed out meanwhile` {
    let server = ServerUnderTest()

    /// The forms that change an account, by their routes.
    private static let forms: [(route: String, path: @Sendable (SessionTokens) -> String)] = [
        ("POST /operator/sessions/{id}/end", { "/operator/sessions/\($0.sessionID)/end" }),
        ("POST /operator/users/{id}/end", { "/operator/users/\($0.user.id)/end" }),
        ("POST /operator/users/{id}/disable", { "/operator/users/\($0.user.id)/disable" }),
        ("POST /operator/users/{id}/enable", { "/operator/users/\($0.user.id)/enable" }),
    ]

    @Test func `every operator form that changes an account is in the test's table`() async throws {
        try await server.operated { caller, _ in
            let configuration = caller.parts.configuration
            let transport = configuration.pageTransport
            let site = PageSite(
                name: "",
                home: OperatorAuthentication.home,
                cookieName: "operator",
                transport: transport
            )
            let authentication = OperatorAuthentication(
                site: site,
                password: OperatorPassword(in: server.folder),
                sessions: OperatorSessions(),
                hasher: caller.hasher,
                limiter: caller.parts.sessions.notices.limiter,
                limits: configuration.signIn.limits,
                events: caller.parts.sessions.events,
                clock: server.readClock
            )
            var table = RouteTable()
            OperatorActions(parts: caller.parts.operatorPages, authentication: authentication).add(to: &table)
            let forms = table.routes.filter { $0.method == .post }.map { OpenAPIDocument.name($0.method, $0.path) }
            #expect(Set(forms) == Set(Self.forms.map(\.route)))
        }
    }

    @Test func `an operator form is refused and changes nothing if the operator signs out before its body arrives`()
        async throws
    {
        try await server.operated { caller, browser in
            let grant = try await caller.signUp()
            let user = try #require(UUID(uuidString: grant.user.id))
            _ = try await browser.signIn()
            let secret = try #require(browser.cookie.flatMap { SessionCookieValue($0) })
            let body = "\(PageForm.tokenField)=\(secret.formToken)&reason=\(OperatorReason.allCases[0].rawValue)"
            var held: [(route: String, client: SocketClient)] = []
            for (route, path) in Self.forms {
                let client = try await SocketClient.connect(browser.port)
                await client.write(
                    "POST \(path(grant)) HTTP/1.1\r\nHost: localhost\r\nCookie: __Host-freshet-operator=\(secret.text)\r\n"
                        + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                )
                held.append((route, client))
            }
            _ = try await browser.post("/operator/sign-out")
            for (route, client) in held {
                await client.write(body)
                let answer = try await client.answer()
                #expect(answer.status == 303 && answer.headers["location"] == OperatorAuthentication.signIn, "\(route)")
                await client.disconnect()
            }
            let (row, isDisabled) = try await caller.database.read { database in
                (try SessionTable.find(grant.sessionID, in: database), try UserTable.isDisabled(user, in: database))
            }
            #expect(row?.ending == nil && !isDisabled)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ContractFixtures
import Foundation
import FreshetContract
import FreshetEngine
import FreshetWire
import HTTPTypes
import ServerFixtures
import Testing

@testable import FreshetContractServer
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `Sessions of contracts` {
    let server = ServerUnderTest()

    private static let account = #"{"email":"ann@example.com","password":"correct horse"}"#

    /// The server of both contracts, with an account.
    private func run(_ body: @Sendable (TestHTTPClient) async throws -> Void) async throws {
        let wharf = try ServedContract(text: ContractFixture.wharf),
            quay = try ServedContract(text: ContractFixture.quay)
        try await server.run(server.configuration(wharf, quay)) { caller async throws in
            _ = try await caller.signUp()
            try await body(caller)
        }
    }

    private func plain(_ caller: TestHTTPClient, _ token: String?) async throws -> TestHTTPClient.Reply {
        try await caller.post("/refresh", json: #"{"refresh_token":"\#(token ?? "")"}"#)
    }

    private func `static`(_ caller: TestHTTPClient, _ token: String?) async throws -> TestHTTPClient.Reply {
        try await caller.post("/quay/refresh", json: #"{"token":"\#(token ?? "")"}"#)
    }

    // MARK: - Rotation

    @Test
    func
        `with plain rotation, a retry gets the same token, a superseded token is reported, and reuse ends the session`()
        async throws
    {
        try await run { caller async throws in
            let first = try await caller.post("/login", json: Self.account)
            let second = try await plain(caller, first["/refresh_token"])
            let retry = try await plain(caller, first["/refresh_token"])
            #expect(second["/refresh_token"] == retry["/refresh_token"])
            #expect(second["/refresh_token"] != first["/refresh_token"])
            let third = try await plain(caller, second["/refresh_token"])
            #expect(try await plain(caller, first["/refresh_token"])["/fault"] == "superseded")
            #expect(try await plain(caller, third["/refresh_token"]).status == 200)

            server.advance(by: .seconds(61))
            let reuse = try await plain(caller, first["/refresh_token"])
            #expect(reuse.status == 401)
            #expect(reuse["/fault"] == "over")
            #expect(try await plain(caller, third["/refresh_token"])["/fault"] == "over")
            let end = try #require(caller.log.lines.last { $0["message"] == "session ended" })
            #expect(end["reason"] == "reuse")
        }
    }

    @Test func `a static refresh token stays the same until the session's absolute timeout`() async throws {
        try await run { caller async throws in
            let grant = try await caller.post("/quay/login", json: Self.account)
            let token = grant["/refresh"]
            for _ in 0..<2 {
                server.advance(by: .seconds(3500))
                let again = try await `static`(caller, token)
                #expect(again.status == 200)
                #expect(again["/refresh"] == token)
                #expect(again["/access"] != grant["/access"])
            }
            // Two hours are over, however often it was refreshed.
            server.advance(by: .seconds(200))
            #expect(try await `static`(caller, token).answer.error == "400 invalid_grant absolute_timeout")
        }
    }

    @Test func `a static refresh token that is not used expires after the idle timeout`() async throws {
        try await run { caller async throws in
            let grant = try await caller.post("/quay/login", json: Self.account)
            server.advance(by: .seconds(3600))
            #expect(try await `static`(caller, grant["/refresh"]).answer.error == "400 invalid_grant idle_timeout")
        }
    }

    // MARK: - Lifetimes

    @Test func `each contract has its own token lifetimes, and native lifetimes are unchanged`() async throws {
        try await run { caller async throws in
            let wharf = try await caller.post("/login", json: Self.account)
            let native = try await caller.signIn()
            #expect(try await caller.get("/ships", bearer: wharf["/access_token"]).status == 200)
            server.advance(by: .seconds(301))
            let over = try await caller.get("/ships", bearer: wharf["/access_token"])
            #expect(over.status == 401)
            #expect(over["/fault"] == "expired")
            #expect(over.answer.headers[.wwwAuthenticate]?.contains("invalid_token") == true)
            #expect(try await caller.send(.get, NativePath.me, bearer: native.accessToken).status == 200)

            server.advance(by: .seconds(3300))
            #expect(try await plain(caller, wharf["/refresh_token"])["/fault"] == "over")
            #expect(try await caller.refresh(native.refreshToken, .random()).status == 200)
        }
    }

    @Test func `a refresh of a plain session extends its idle timeout, but not its absolute timeout`() async throws {
        try await run { caller async throws in
            var token = try await caller.post("/login", json: Self.account)["/refresh_token"]
            for _ in 0..<2 {
                server.advance(by: .seconds(3500))
                token = try await plain(caller, token)["/refresh_token"]
                #expect(token != nil)
            }
            server.advance(by: .seconds(200))
            #expect(try await plain(caller, token)["/fault"] == "over")
        }
    }

    @Test func `an operator's lifetimes override a contract's`() async throws {
        var contract = try ServedContract(text: ContractFixture.wharf)
        contract.setLifetimes(access: .milliseconds(7500), idle: nil, absolute: .seconds(60))
        let others = server.configuration.lifetimes
        #expect(contract.lifetimes(over: others).access == .milliseconds(7500))
        #expect(contract.lifetimes(over: others).idle == .seconds(3600))
        #expect(contract.lifetimes(over: others).absolute == .seconds(60))
        #expect(contract.lifetimes(over: others).code == others.code)
    }

    @Test func `a long-lived access token of a signed-out session is refused after a restart`() async throws {
        let long = ContractFixture.wharf.replacing(
            #""access": 300, "idle": 3600, "absolute": 7200"#,
            with: #""access": 7200"#
        )
        let configuration = server.configuration(try ServedContract(text: long))
        let tokens = AsyncStream<String>.makeStream()
        try await server.run(configuration) { caller async throws in
            let grant = try await caller.post("/signup", json: Self.account)
            let body = #"{"refresh_token":"\#(grant["/refresh_token"] ?? "")"}"#
            #expect(try await caller.post("/logout", json: body).status == 204)
            tokens.continuation.yield(grant["/access_token"] ?? "")
        }
        let access = try #require(await tokens.stream.first { _ in true })
        server.advance(by: .seconds(3600))
        try await server.run(configuration) { caller async throws in
            #expect(try await caller.get("/ships", bearer: access).status == 401)
        }
    }

    // MARK: - Doors

    @Test func `a refresh token sent to another contract is refused without ending its session`() async throws {
        try await run { caller async throws in
            let plainToken = try await caller.post("/login", json: Self.account)["/refresh_token"]
            let staticToken = try await caller.post("/quay/login", json: Self.account)["/refresh"]
            let native = try await caller.signIn().refreshToken

            for token in [staticToken, native] {
                let reply = try await plain(caller, token)
                #expect(reply.status == 422)
                #expect(reply["/text"] == "this session can be refreshed only through the API that opened it")
            }
            for token in [plainToken, native] {
                #expect(try await `static`(caller, token).answer.error == "400 invalid_request")
            }
            for token in [plainToken, staticToken] {
                #expect(try await caller.refresh(try #require(token), nil).error == "400 invalid_request")
            }
            #expect(try await caller.refresh(try #require(staticToken), .random()).error == "400 invalid_request")

            // All three live on at home, untouched.
            #expect(try await plain(caller, plainToken).status == 200)
            #expect(try await `static`(caller, staticToken).status == 200)
            #expect(try await caller.refresh(native, .random()).status == 200)
        }
    }

    @Test func `a contract session that is refreshed through the native contract moves there permanently`() async throws
    {
        try await run { caller async throws in
            let token = try #require(try await caller.post("/login", json: Self.account)["/refresh_token"])
            let intent = Intent.random()
            let moved: SessionTokens = try await caller.refresh(token, intent).json()
            #expect(moved.refreshToken != token)
            #expect(moved.expiresIn == 300)
            #expect(try await caller.refresh(token, intent).json(SessionTokens.self).refreshToken == moved.refreshToken)
            let back = try await plain(caller, moved.refreshToken)
            #expect(back["/fault"] == "superseded", "a request may still have been under way")
            #expect(try await caller.refresh(moved.refreshToken, .random()).status == 200)
        }
    }

    @Test func `a forged refresh token is reported as invalid by every contract`() async throws {
        try await run { caller async throws in
            let token = try #require(try await caller.post("/login", json: Self.account)["/refresh_token"])
            var forged = try RefreshToken(token)
            forged = RefreshToken(body: forged.body, mac: forged.mac.map { $0 ^ 1 })
            #expect(try await plain(caller, forged.text)["/fault"] == "over")
            #expect(try await `static`(caller, forged.text).answer.error == "400 invalid_grant")
            #expect(try await plain(caller, token).status == 200)
        }
    }

    // MARK: - Ends, limits, logs

    @Test func `logout everywhere ends the sessions of every contract and the native ones`() async throws {
        try await run { caller async throws in
            let wharf = try await caller.post("/login", json: Self.account)
            let quay = try await caller.post("/quay/login", json: Self.account)
            let native = try await caller.signIn()
            #expect(try await caller.post("/logout-all", json: "", bearer: quay["/access"]).status == 204)
            #expect(try await plain(caller, wharf["/refresh_token"])["/fault"] == "over")
            #expect(try await `static`(caller, quay["/refresh"]).answer.error == "400 invalid_grant logout_all")
            #expect(try await caller.refresh(native.refreshToken, .random()).error == "400 invalid_grant logout_all")
            #expect(try await caller.post("/logout-all", json: "", bearer: nil).status == 401)
        }
    }

    @Test func `wrong passwords are refused and then rate limited, with the contract's errors`() async throws {
        try await run { caller async throws in
            let wrong = Self.account.replacing("horse", with: "cow")
            var last = try await caller.post("/login", json: wrong)
            #expect(last.status == 403)
            #expect(last["/fault"] == "refused")
            for _ in 0..<10 { last = try await caller.post("/login", json: wrong) }
            #expect(last.status == 429)
            #expect(last["/fault"] == "slowly")
            #expect(last.answer.headers[.retryAfter] != nil)
            let taken = try await caller.post("/signup", json: Self.account)
            #expect(taken.status == 409)
            #expect(taken["/fault"] == "refused")
        }
    }

    @Test func `the log names the contract and no token`() async throws {
        try await run { caller async throws in
            let grant = try await caller.post("/login", json: Self.account)
            let token = try #require(grant["/refresh_token"])
            _ = try await plain(caller, token)
            for message in ["login", "refresh"] {
                let line = try #require(caller.log.lines.last { $0["message"] == message })
                #expect(line["dialect"] == "wharf")
            }
            let secrets = [token, try #require(grant["/access_token"])]
            for line in caller.log.lines {
                for secret in secrets { #expect(!line.values.contains { $0.contains(secret) }) }
            }
        }
    }

    @Test func `every account has a number that stays the same`() async throws {
        let text = ContractFixture.wharf.replacing(
            #""resources""#,
            with: #""replies": { "me": { "json": { "number": "$user_number", "email": "$email" } } }, "resources""#
        )
        try await server.run(server.configuration(try ServedContract(text: text))) { caller async throws in
            _ = try await caller.signUp("bob@example.com")
            let ann = try await caller.signUp()
            for _ in 0..<2 {
                let me = try await caller.get("/me", bearer: ann.accessToken)
                #expect(me["/number"] == "2")
                #expect(me["/email"] == "ann@example.com")
            }
        }
    }
}

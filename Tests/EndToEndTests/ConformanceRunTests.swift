// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetKit
import NIOConcurrencyHelpers
import Testing

@testable import freshet

/// The live test against backends whose weaknesses are known beforehand.
@Suite(.timeLimit(.minutes(5)))
struct `The live test` {
    private func report(
        _ weaknesses: Set<WeakBackend.Weakness>,
        _ changes: [(String, String)] = [],
        longestWait: Duration = .seconds(20),
        waits: Bool = false,
        password: String = "good",
        signIn: ConformancePlan.SignIn? = nil
    ) async throws -> ConformanceReport {
        let backend = WeakBackend(weaknesses)
        let contract = try WeakBackend.contract(changes)
        let baseURL = try #require(URL(string: "http://127.0.0.1:9"))
        let probe = try ContractProbe(
            contract: contract,
            baseURL: baseURL,
            values: [:],
            transport: backend,
            timeout: .seconds(10)
        )
        let account = ConformancePlan.SignIn.fields(.password, ["username": "ann", "password": password])
        var plan = ConformancePlan(contract: contract.document, baseURL: baseURL, signIn: signIn ?? account)
        plan.longestWait = longestWait
        plan.waitsForExpiry = waits
        var run = ConformanceRun(probe: probe, plan: plan, clock: backend.clock) { _ in }
        return try await run.run()
    }

    @Test func `a contract test runs every step and reports no weakness for a sound backend`() async throws {
        let report = try await report([])
        #expect(report.agrees)
        #expect(report.weaknesses == [])
        #expect(
            report.findings.map(\.step) == [
                .signIn, .expiry, .call, .garbageAccessToken, .alteredAccessToken, .refresh, .rotation,
                .olderAccessToken,
                .expiredAccessToken, .garbageRefreshToken, .alteredRefreshToken, .usedRefreshToken, .newestRefreshToken,
                .logout, .refreshAfterLogout, .callAfterLogout, .wrongPassword, .errors, .caching, .redirects, .clock,
            ]
        )
        #expect(report.count(.skipped) == 0)
    }

    @Test(
        arguments: [
            (.noExpiry, .expiry, "no expires_in: nothing gives the access token's expiry"),
            (.neverRotates, .rotation, "the refresh token stays the same: its theft is not detected"),
            (.takesUsedTokens, .usedRefreshTokenLater, "a used refresh token works 1 s later: a theft is not detected"),
            (
                .endsNothing, .newestRefreshToken,
                "reuse is refused but does not end the session: a thief who refreshes first keeps it"
            ),
            (.takesExpired, .expiredAccessToken, "an expired access token is accepted"),
            (.refusesWith403, .expiredAccessToken, "an expired access token is answered with 403, not 401"),
            (.takesAnything, .garbageAccessToken, "a made-up access token is accepted"),
            (.wrongClock, .clock, "the server's clock is an hour ahead of this machine's clock; one of them is wrong"),
            (.keepsSignedOut, .refreshAfterLogout, "a refresh token still works after the sign-out"),
            (
                .voidsAccess, .olderAccessToken,
                "a refresh invalidates the earlier access token: requests in flight are rejected"
            ),
            (
                .failsOnGarbage, .alteredRefreshToken,
                "altered refresh token: the server fails (500), so the session does not end"
            ),
            (.mayBeCached, .caching, "replies with tokens lack Cache-Control: no-store"),
            (.takesAnyPassword, .wrongPassword, "a wrong password is accepted"),
            (.deaf, .call, "call with the access token: no response: timed out"),
        ] as [(WeakBackend.Weakness, ConformanceStep, String)]
    )
    func `a contract test reports each known weakness of a backend`(
        weakness: WeakBackend.Weakness,
        step: ConformanceStep,
        message: String
    ) async throws {
        let report = try await report([weakness])
        let finding = try #require(report.findings.first { $0.step == step })
        // A Date is of whole seconds, and some go by.
        let told = finding.weaknesses.map { $0.replacing(/3(59|60)\d s ahead/, with: "an hour ahead") }
        #expect(told == [message])
    }

    @Test func `a contract test skips the older access token if it may have expired during slow responses`()
        async throws
    {
        let finding = try #require(try await report([.slow]).findings.first { $0.step == .olderAccessToken })
        #expect(finding.agreement == .skipped && finding.weaknesses.isEmpty, "\(finding.backend)")
    }

    @Test(
        arguments: [
            (.neverRotates, [.rotation]), (.takesExpired, [.expiredAccessToken]),
            (.refusesWith403, [.expiredAccessToken]),
            (.takesAnything, [.garbageAccessToken, .alteredAccessToken, .expiredAccessToken]),
            (
                .silent,
                [.alteredRefreshToken, .usedRefreshToken, .newestRefreshToken, .refreshAfterLogout, .wrongPassword]
            ),
            (.redirects, [.refresh, .redirects]), (.noSignOut, [.logout]), (.takesAnyPassword, [.wrongPassword]),
            (.takesUsedTokens, [.usedRefreshTokenLater]), (.noExpiry, []), (.endsNothing, []), (.wrongClock, []),
            (.keepsSignedOut, []), (.voidsAccess, []), (.failsOnGarbage, []), (.mayBeCached, []), (.deaf, []),
        ] as [(WeakBackend.Weakness, [ConformanceStep])]
    )
    func `a contract test reports every step at which the backend and the contract differ`(
        weakness: WeakBackend.Weakness,
        steps: [ConformanceStep]
    ) async throws {
        let report = try await report([weakness])
        let differing = report.findings.filter { $0.agreement == .differs }
        #expect(differing.map(\.step) == steps)
        #expect(report.agrees == steps.isEmpty)
        for finding in differing { #expect(finding.advice?.isEmpty == false, "\(finding.step)") }
    }

    @Test func `a weakness that the contract declares is not reported as a difference`() async throws {
        let rotation = [(#""always", "reuseGrace": 0"#, #""never""#)]
        #expect(try await report([.neverRotates], rotation).agrees)
        let grace = [(#""reuseGrace": 0"#, #""reuseGrace": 10"#)]
        let tolerant = try await report([.takesUsedTokens], grace)
        #expect(tolerant.findings.first { $0.step == .usedRefreshToken }?.agreement == .agrees)
        #expect(tolerant.findings.first { $0.step == .usedRefreshTokenLater }?.agreement == .differs)
        let strict = try await report([], grace).findings.first { $0.step == .usedRefreshToken }
        #expect(strict?.agreement == .differs)
        let forbidden = #"{ "on": "api", "status": 403, "outcome": "accessExpired" }, { "on": ["refresh", "logout"]"#
        #expect(try await report([.refusesWith403], [(#"{ "on": ["refresh", "logout"]"#, forbidden)]).agrees)
    }

    @Test func `a contract test skips steps that exceed the longest wait, unless it waits for expiry`() async throws {
        let hasty = try await report(
            [.takesUsedTokens],
            [(#""reuseGrace": 0"#, #""reuseGrace": 10"#)],
            longestWait: .zero
        )
        let skipped = hasty.findings.filter { $0.agreement == .skipped }.map(\.step)
        #expect(skipped == [.expiredAccessToken, .usedRefreshTokenLater])
        let waiting = try await report([], longestWait: .zero, waits: true)
        #expect(waiting.findings.first { $0.step == .expiredAccessToken }?.agreement == .agrees)
    }

    @Test func `a contract test throws for a refused sign-in and for a missing sign-in value`() async throws {
        await #expect(throws: ToolError.signInNeeded("the backend refuses the sign-in: 400 wrong")) {
            try await report([], password: "bad")
        }
        await #expect(throws: ToolError.usage("there is no value for 'device'")) {
            try await report([], [(#""user": "$username""#, #""user": "on $device""#)])
        }
    }

    @Test func `a sign-in response that the contract cannot read is reported as a difference`() async throws {
        let report = try await report([], [("/access_token", "/token")])
        #expect(report.findings.map(\.step) == [.signIn, .redirects])
        #expect(!report.agrees)
    }

    @Test func `a contract test with given tokens refreshes them and omits the wrong password step`() async throws {
        let grant = TokenGrant(accessToken: "mine", refreshToken: "unknown")
        let report = try await report([], signIn: .tokens(grant))
        #expect(report.findings.first { $0.step == .refresh }?.agreement == .differs)
        #expect(!report.findings.contains { $0.step == .wrongPassword })
    }

    @Test func `a contract test's report contains no secrets, and its table contains no escape characters`()
        async throws
    {
        for weakness in WeakBackend.Weakness.allCases {
            let report = try await report([weakness], [(#""errors": { "code": "/error" }"#, Self.echoing)])
            let text = String(decoding: try JSONEncoder().encode(report), as: UTF8.self)
            #expect(!text.contains("-secret"), "\(weakness)")
            let table = ConformanceTable(report: report).lines.joined()
            #expect(!table.contains("-secret"), "\(weakness)")
            #expect(!table.contains("\u{1B}"), "\(weakness)")
        }
    }

    private static let echoing = #""errors": { "code": "/error", "message": "/detail" }"#
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import freshet

/// The live test against backends that others wrote: it finds of each what is known of it.
@Suite(
    .enabled(if: ProcessInfo.processInfo.environment["FRESHET_BACKENDS"] != nil, "make test-backends"),
    .timeLimit(.minutes(5)),
    .serialized
)
struct `The live test of real backends` {
    /// A backend, and what the live test says of it.
    struct Known: CustomTestStringConvertible, Sendable {
        var program: String
        var arguments: [String] = []
        /// How what the backend did begins, by the step.
        var findings: [ConformanceStep: String]
        var weaknesses: [String]

        var testDescription: String { ([program] + arguments).joined(separator: " ") }
    }

    private static let silent = "no expires_in: only the token itself contains its expiry"
    private static let same = "the refresh token stays the same: its theft is not detected"
    private static let endless = "reuse is refused but does not end the session: a thief who refreshes first keeps it"
    private static let cached = "replies with tokens lack Cache-Control: no-store"

    private static let known = [
        Known(
            program: "simplejwt",
            findings: [
                .expiry: "the token's exp: ", .alteredAccessToken: "401 token_not_valid", .rotation: "no refresh token",
                .expiredAccessToken: "401 token_not_valid", .alteredRefreshToken: "401 token_not_valid",
                .usedRefreshToken: "not tried", .logout: "404", .wrongPassword: "401 “No active account",
            ],
            weaknesses: [silent, same, "the backend has no sign-out: a session ends only on the device", cached]
        ),
        Known(
            program: "simplejwt",
            arguments: ["--rotate"],
            findings: [
                .rotation: "a new refresh token", .usedRefreshToken: "401 token_not_valid “Token is blacklisted”",
                .newestRefreshToken: "200", .logout: "200", .refreshAfterLogout: "401 token_not_valid",
                .callAfterLogout: "200",
            ],
            weaknesses: [silent, endless, cached]
        ),
        Known(
            program: "django_oauth_toolkit",
            findings: [
                .expiry: "/expires_in: 6 s", .rotation: "a new refresh token", .expiredAccessToken: "401",
                .alteredRefreshToken: "400 invalid_grant", .usedRefreshToken: "400 invalid_grant",
                .newestRefreshToken: "400 invalid_grant: reuse ends the whole session", .logout: "200",
                .refreshAfterLogout: "400 invalid_grant",
            ],
            weaknesses: ["a refresh invalidates the earlier access token: requests in flight are rejected"]
        ),
        Known(
            program: "flask_jwt",
            findings: [
                .garbageAccessToken: "422 “Not enough segments”", .alteredAccessToken: "422 “Signature verification",
                .rotation: "no refresh token", .expiredAccessToken: "401 “Token has expired”",
                .alteredRefreshToken: "422", .logout: "200", .refreshAfterLogout: "401 “Token has been revoked”",
            ],
            weaknesses: [
                silent, "a made-up access token is answered with 422, not 401",
                "an altered access token is answered with 422, not 401", same, cached,
            ]
        ),
        Known(
            program: "fastapi_jwt",
            findings: [
                .expiry: "the token's exp: ", .rotation: "a new refresh token", .expiredAccessToken: "401",
                .alteredRefreshToken: "401 “Invalid or expired refresh token”",
                .usedRefreshToken: "401 “Invalid or expired refresh token”", .newestRefreshToken: "200",
                .logout: "not tried",
            ],
            weaknesses: [silent, endless, "no sign-out at the backend", cached]
        ),
        Known(
            program: "cognito",
            findings: [
                .expiry: "/ExpiresIn: 6 s", .rotation: "no refresh token", .expiredAccessToken: "401",
                .alteredRefreshToken: "400 NotAuthorizedException", .wrongPassword: "400 NotAuthorizedException",
            ],
            weaknesses: [
                same, "a sign-out fails (500): the client retries it", cached,
            ]
        ),
    ]

    @Test(arguments: known)
    func `the live test of a real backend confirms its contract and finds its known weaknesses`(known: Known)
        async throws
    {
        let backend = try Backend([known.program] + known.arguments)
        let facts = try await backend.facts()
        let (status, report) = try await test(facts, contract: facts.contract)
        await backend.end()
        #expect(status == 0)
        for (step, message) in known.findings {
            let finding = try #require(report.findings.first { $0.step == step }, "\(step)")
            #expect(finding.backend.hasPrefix(message), "\(step): \(finding.backend)")
            #expect(finding.agreement != .differs, "\(step)")
        }
        #expect(report.weaknesses == known.weaknesses)
    }

    @Test func `the live test of a real backend reports each difference from a wrong contract`() async throws {
        let backend = try Backend(["flask_jwt"])
        let facts = try await backend.facts()
        let shown = try await tool(["contract", "show", facts.contract], input: "").output
        let file = FileManager.default.temporaryDirectory.appending(path: "freshet-contract-\(UUID()).json")
        let wrong = shown.replacing(#""rotation": "never""#, with: #""rotation": "always""#)
            .replacing(/"status": 422,\s+"if": \{ "at": "\/msg", "exists": true \}/, with: #""status": 418"#)
        try Data(wrong.utf8).write(to: file)
        let (status, report) = try await test(facts, contract: file.path)
        await backend.end()
        try FileManager.default.removeItem(at: file)
        #expect(status == 7)
        let differing = report.findings.filter { $0.agreement == .differs }.map(\.step)
        #expect(differing == [.rotation, .alteredRefreshToken])
    }

    // MARK: Processes

    private struct Report: Decodable {
        var findings: [ConformanceFinding]
        var weaknesses: [String]
    }

    private func test(_ facts: Facts, contract: String) async throws -> (status: Int32, report: Report) {
        let values = facts.variables.sorted { $0.key < $1.key }.flatMap { ["--set", "\($0.key)=\($0.value)"] }
        let ending = try await tool(
            ["contract", "test", contract, "--base-url", facts.baseURL, "--username", facts.user, "--password-stdin"]
                + ["--call", "GET", facts.resource, "--longest-wait", "7s", "--json"] + values,
            input: facts.password + "\n"
        )
        return (ending.status, try JSONDecoder().decode(Report.self, from: Data(ending.output.utf8)))
    }

    private func tool(_ arguments: [String], input: String) async throws -> ChildProcess.Ending {
        try await ChildProcess(arguments, program: TestEnvironment.program, input: input).wait()
    }

    /// The facts that a backend prints about itself when it is ready.
    private struct Facts: Decodable {
        var baseURL: String
        var contract: String
        var variables: [String: String]
        var user: String
        var password: String
        var resource: String

        private enum CodingKeys: String, CodingKey {
            case baseURL = "base_url"
            case contract, variables, user, password, resource
        }
    }

    /// A program of `Tests/Backends`, whose access tokens live six seconds.
    private struct Backend {
        private let process: ChildProcess

        init(_ arguments: [String]) throws {
            let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
            process = try ChildProcess(
                ["start"] + arguments + ["--access-seconds", "6"],
                program: root.appending(path: "Scripts/backends"),
                keepsInputOpen: true
            )
        }

        func facts() async throws -> Facts {
            let line = try #require(await process.lines.first { _ in true }, "the backend does not start")
            return try JSONDecoder().decode(Facts.self, from: Data(line.utf8))
        }

        func end() async {
            process.closeInput()
            _ = await process.wait()
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct `Hostile replies` {
    private static let channels: [Channel] = [.api, .login, .refresh, .logout, .confirm, .report]

    /// The same contract without a rule that could end a session.
    private func harmless(_ name: String) throws -> Contract {
        let text = try Contract.named(name).text
        var file = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let rules = file["classify"] as? [[String: Any]] ?? []
        file["classify"] = rules.filter { $0["outcome"] as? String != "sessionEnded" }
        return try Contract(json: JSONSerialization.data(withJSONObject: file))
    }

    @Test(arguments: Contract.presets)
    func `a hostile response does not crash the parser or end a session without a matching rule`(name: String)
        throws
    {
        let contract = try Contract.named(name)
        let harmless = try harmless(name)
        var replies = HostileReplyGenerator(seed: 7)
        for round in 0..<100 {
            let answer = replies.answer()
            for channel in Self.channels {
                if case .sessionEnded = harmless.classify(answer, on: channel) {
                    Issue.record("round \(round): \(answer.status) on \(channel)")
                }
                if case .sessionEnded = contract.classify(answer, on: channel) {
                    let mayEnd = answer.status < 500 && answer.status != 429 && !answer.isPage
                    #expect(mayEnd, "round \(round): \(answer.status) on \(channel)")
                }
            }
            guard let grant = try? contract.grant(from: answer) else { continue }
            #expect(grant.lifetime >= .seconds(1) && grant.lifetime <= .seconds(10 * 365 * 86_400))
            #expect(grant.accessToken.utf8.allSatisfy { (0x21...0x7E).contains($0) })
        }
    }

    @Test func `a session stays signed in through hostile responses that match no final rule`() async throws {
        let clock = TestClock()
        var configuration = AuthSession.Configuration()
        configuration.refreshPolicy.callerTimeout = .milliseconds(100)
        configuration.contractValues = ["client_id": "app"]
        let session = try AuthSession(
            contract: harmless("oauth2"),
            baseURL: Fixtures.base(),
            store: InMemoryStore(),
            configuration: configuration,
            transport: HostileTransport(),
            clock: clock
        )
        try await session.signIn(.tokens(TokenGrant(accessToken: "a", refreshToken: "r", expiresIn: .seconds(600))))
        for _ in 0..<300 {
            clock.advance(by: .seconds(3600))
            _ = await failure { try await session.refresh() }
            #expect(session.state.isSignedIn)
        }
    }
}

/// A backend that gives a hostile reply to everything.
private final class HostileTransport: HTTPTransport {
    private let replies = Locked(HostileReplyGenerator(seed: 11))

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) { try reply(to: request) }

    func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
        try reply(to: request)
    }

    private func reply(to request: URLRequest) throws -> (Data, HTTPURLResponse) {
        let answer = replies.withLock { $0.answer() }
        let url = try #require(request.url)
        let response = HTTPURLResponse(
            url: url,
            statusCode: answer.status,
            httpVersion: nil,
            headerFields: answer.headers
        )
        return (answer.body, try #require(response))
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import FreshetJWT

@Suite(.timeLimit(.minutes(5))) struct `A resource server behind the middleware` {
    private struct Context: VerifiedRequestContext {
        var coreContext: CoreRequestContextStorage
        var token: VerifiedToken?

        init(source: ApplicationRequestContextSource) { coreContext = .init(source: source) }
    }

    private func run(
        _ verifier: TokenVerifier,
        _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        let router = Router(context: Context.self)
        router.add(middleware: BearerMiddleware<Context>(verifier, realm: "tests"))
        router.get("/whoami") { _, context in context.token?.subject ?? "nobody" }
        try await Application(router: router).test(.router) { try await body($0) }
    }

    private func get(
        _ client: any TestClientProtocol,
        _ headers: HTTPFields,
        query: String = ""
    ) async throws -> (status: Int, challenge: String?, body: String, retry: String?) {
        let answer = try await client.executeRequest(uri: "/whoami" + query, method: .get, headers: headers, body: nil)
        return (
            answer.status.code, answer.headers[.wwwAuthenticate], String(buffer: answer.body),
            answer.headers[.retryAfter]
        )
    }

    @Test func `the middleware provides the verified token, and refuses other requests as RFC 6750 requires`()
        async throws
    {
        let good = try TestTokenIssuer.token(TestTokenIssuer.header, TestTokenIssuer.payload())
        try await run(try TestTokenIssuer.verifier()) { client in
            let served = try await get(client, [.authorization: "Bearer \(good)"])
            #expect(served.status == 200)
            #expect(served.body == "ann")
            #expect(try await get(client, [.authorization: "bearer \(good)"]).status == 200)

            for headers: HTTPFields in [[:], [.authorization: "Basic YTpi"], [.authorization: "Bearer"]] {
                let answer = try await get(client, headers)
                #expect(answer.status == 401)
                #expect(answer.challenge == #"Bearer realm="tests""#)
            }
            let bad = try await get(client, [.authorization: "Bearer \(good)x"])
            #expect(bad.status == 401)
            #expect(bad.challenge?.contains(#"error="invalid_token""#) == true)
            #expect(!bad.body.contains(good))

            var twice = HTTPFields()
            twice.append(HTTPField(name: .authorization, value: "Bearer \(good)"))
            twice.append(HTTPField(name: .authorization, value: "Bearer \(good)"))
            #expect(try await get(client, twice).status == 400)
            #expect(try await get(client, [:], query: "?access_token=\(good)").status == 400)
            let both = try await get(client, [.authorization: "Bearer \(good)"], query: "?a=1&access_token=x")
            #expect(both.status == 400)
            #expect(both.challenge?.contains(#"error="invalid_request""#) == true)
        }
    }

    @Test func `the response has status 503, Retry-After and no challenge while keys are unavailable`() async throws {
        let url = try #require(URL(string: "https://issuer.example/keys"))
        let source = try JWKSource(url, now: { TestTokenIssuer.now }) { _ in throw URLError(.timedOut) }
        let rules = TokenRules(issuer: TestTokenIssuer.issuer, audience: TestTokenIssuer.audience)
        let good = try TestTokenIssuer.token(TestTokenIssuer.header, TestTokenIssuer.payload())
        try await run(TokenVerifier(rules, keys: .source(source), now: { TestTokenIssuer.now })) { client in
            let answer = try await get(client, [.authorization: "Bearer \(good)"])
            #expect(answer.status == 503)
            #expect(answer.retry == "5")
            #expect(answer.challenge == nil)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import NIOConcurrencyHelpers
import Testing

@testable import FreshetJWT

@Suite(.timeLimit(.minutes(5))) struct `A verifier for a Freshet server` {
    /// A server that publishes its keys and lists the session `s1` in its first page of ended sessions.
    private final class Server: Sendable {
        let requests = NIOLockedValueBox<[IssuerRequest]>([])
        let followed: AsyncStream<Void>
        private let announce: AsyncStream<Void>.Continuation

        init() { (followed, announce) = AsyncStream.makeStream() }

        /// Never responds to the second request for ended sessions, like a server on which no session ends.
        func fetch(_ request: IssuerRequest) async throws -> IssuerResponse {
            requests.withLockedValue { $0.append(request) }
            switch request.url.path {
            case "/.well-known/jwks.json":
                return IssuerResponse(status: 200, body: Array(TestTokenIssuer.published.utf8))
            case "/v1/ended" where request.url.query()?.contains("after=") != true:
                let page =
                    #"{"ended":[{"sid":"s1","reason":"logout","at":\#(Date().timeIntervalSince1970)}],"cursor":"c 1","more":false}"#
                return IssuerResponse(status: 200, body: Array(page.utf8))
            default:
                announce.yield()
                // Ends when the request is cancelled.
                let (silence, continuation) = AsyncStream.makeStream(of: Never.self)
                for await _ in silence {}
                withExtendedLifetime(continuation) {}
                throw CancellationError()
            }
        }
    }

    private func verifier(
        at address: String = "https://auth.example.com",
        client: ClientCredentials? = nil,
        fetch: @escaping IssuerFetch
    ) throws -> TokenVerifier {
        let rules = TokenRules(issuer: TestTokenIssuer.issuer, audience: TestTokenIssuer.audience)
        return try TokenVerifier(server: try #require(URL(string: address)), rules: rules, client: client, fetch: fetch)
    }

    /// Returns a token that expires in ten minutes.
    private func token() throws -> String {
        let now = Int(Date().timeIntervalSince1970)
        let payload = TestTokenIssuer.payload(["iat": "\(now)", "exp": "\(now + 600)"])
        return try TestTokenIssuer.token(TestTokenIssuer.header, payload)
    }

    @Test func `a verifier fetches keys from the server's JWKS endpoint and accepts the server's tokens`() async throws
    {
        let server = Server()
        let verifier = try verifier(
            at: "https://auth.example.com/base",
            fetch: { request in
                var request = request
                request.url = try #require(URL(string: request.url.absoluteString.replacing("/base", with: "")))
                return try await server.fetch(request)
            }
        )
        #expect(try await verifier.verify(token()).subject == "ann")
        #expect(try await verifier.verify(token()).session == "s1")
        #expect(server.requests.withLockedValue { $0.map(\.url.path) } == ["/.well-known/jwks.json"])
        #expect(server.requests.withLockedValue { $0.first?.authorization } == .some(nil))
        // Without credentials there is no feed to poll.
        await verifier.followEndedSessions { _ in }
    }

    @Test func `a verifier refuses tokens of sessions that the feed of ended sessions lists`() async throws {
        let server = Server()
        let client = ClientCredentials(id: "backend", secret: "open sesame")
        let verifier = try verifier(client: client, fetch: server.fetch)
        let token = try token()
        #expect(try await verifier.verify(token).session == "s1")
        let following = Task { await verifier.followEndedSessions { _ in } }
        for await _ in server.followed { break }
        await #expect(throws: TokenVerificationError.sessionEnded) { try await verifier.verify(token) }
        following.cancel()
        await following.value
        let asked = server.requests.withLockedValue { $0.filter { $0.url.path == "/v1/ended" } }
        #expect(asked.map { $0.url.query() } == ["wait=0", "wait=25&after=c%201"])
        let basic = "Basic " + Data("backend:open sesame".utf8).base64EncodedString()
        #expect(asked.allSatisfy { $0.authorization == basic && $0.maximumLength == 8_388_608 })
        // Ten seconds more than the server may hold the request.
        #expect(asked.map(\.timeout) == [.seconds(10), .seconds(35)])
    }

    @Test func `a verifier reports only once that the feed of ended sessions fails`() async throws {
        let (attempts, attempt) = AsyncStream.makeStream(of: Void.self)
        let verifier = try verifier(client: ClientCredentials(id: "backend", secret: "wrong")) { _ in
            attempt.yield()
            return IssuerResponse(status: 401, body: [])
        }
        let reported = NIOLockedValueBox<[IssuerFetchError?]>([])
        let following = Task {
            await verifier.followEndedSessions { error in
                reported.withLockedValue { $0.append(error as? IssuerFetchError) }
            }
        }
        // The third attempt begins after two failures.
        var count = 0
        for await _ in attempts {
            count += 1
            if count == 3 { break }
        }
        #expect(reported.withLockedValue { $0 } == [.status(401)])
        following.cancel()
        await following.value
    }

    @Test(arguments: [404, 302, 500]) func `a verifier reports unavailable keys for a status other than 200`(
        status: Int
    )
        async throws
    {
        let verifier = try verifier { _ in
            IssuerResponse(status: status, body: Array(TestTokenIssuer.published.utf8))
        }
        await #expect(throws: TokenVerificationError.keysUnavailable) { try await verifier.verify(token()) }
    }

    @Test(arguments: [
        "http://auth.example.com", "ftp://localhost", "https://ann:secret@auth.example.com",
        "https://ann@auth.example.com", "https://:secret@auth.example.com", "http://127.0.0.1.example.com",
        "https:///keys", "https://:8443/keys", "https:keys", "/keys",
    ])
    func `a verifier refuses a URL whose responses an attacker could forge`(address: String) async throws {
        #expect(throws: IssuerFetchError.unsafeAddress) {
            try verifier(at: address) { _ in throw CancellationError() }
        }
        let request = IssuerRequest(url: try #require(URL(string: address)))
        await #expect(throws: IssuerFetchError.unsafeAddress) { try await AsyncHTTPClientFetch.send(request) }
    }

    @Test func `credentials are masked in every textual representation`() throws {
        let client = ClientCredentials(id: "backend", secret: "open sesame")
        let request = IssuerRequest(
            url: try #require(URL(string: "https://auth.example.com/?q")),
            authorization: client.authorization
        )
        for value in [client, request, BearerCredentials.token("open sesame")] as [any Sendable] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains("open sesame") && !text.contains("Basic"))
            }
        }
    }
}

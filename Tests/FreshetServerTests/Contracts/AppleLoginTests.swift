// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ContractFixtures
import Crypto
import Foundation
import FreshetContract
import FreshetWire
import IdentityFixtures
import JWTKit
import ServerFixtures
import Testing

@testable import FreshetContractServer
@testable import FreshetIdentity
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `Sign in with Apple` {
    let server = ServerUnderTest()
    let apple: AppleUnderTest

    init() async throws { apple = try await AppleUnderTest() }

    private static let login = #"{ "path": "/apple", "json": { "token": "$identity_token", "nonce": "$nonce" } }"#

    private func configuration() throws -> ServerConfiguration {
        let text = ContractFixture.wharf
            .replacing(#""endpoints": {"#, with: #""endpoints": { "login.apple": \#(Self.login),"#)
            .replacing(
                #""resources""#,
                with: """
                    "replies": { "login": { "json": {
                        "access_token": "$access_token", "id": "$user_id", "number": "$user_number", "email": "$email"
                    } } }, "resources"
                    """
            )
        var configuration = server.configuration(try ServedContract(text: text))
        try FileManager.default.createDirectory(
            at: server.folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let file = server.folder.appending(path: "apple.json")
        try apple.publish(to: file)
        configuration.appleKeys = file
        configuration.appleAudiences = [AppleUnderTest.app, "com.example.other"]
        return configuration
    }

    private func signIn(_ caller: TestHTTPClient, _ token: String, nonce: String? = nil) async throws
        -> TestHTTPClient.Reply
    {
        let nonce = nonce.map { #","nonce":"\#($0)""# } ?? ""
        return try await caller.post("/apple", json: #"{"token":"\#(token)"\#(nonce)}"#)
    }

    @Test(arguments: ["ec", "rsa"])
    func `the first Apple identity token of a user creates the account, and the next one signs in to it`(kid: String)
        async throws
    {
        try await server.run(try configuration()) { caller async throws in
            let first = try await signIn(caller, apple.token(kid: kid))
            #expect(first.status == 200)
            #expect(first.json?.object?["email"] == .null)
            let again = try await signIn(caller, apple.token(kid: kid))
            #expect(again["/id"] == first["/id"])
            #expect(again["/number"] == first["/number"])
            #expect(try await caller.get("/ships", bearer: first["/access_token"]).status == 200)

            var other = AppleUnderTest.Claims()
            other.sub = "001234.abc.0988"
            #expect(try await signIn(caller, apple.token(other, kid: kid))["/id"] != first["/id"])
        }
    }

    @Test func `a verified email address from Apple is shown, but does not link to an existing account`() async throws {
        try await server.run(try configuration()) { caller async throws in
            let ann = try await caller.signUp()
            var claims = AppleUnderTest.Claims()
            claims.email = "ann@example.com"
            for (verified, shown) in [
                (.bool(false), nil), (nil, nil), (.text("false"), nil), (.bool(true), "ann@example.com"),
                (.text("true"), "ann@example.com"),
            ] as [(AppleUnderTest.Verified?, String?)] {
                claims.sub = "\(UUID())"
                claims.emailVerified = verified
                let grant = try await signIn(caller, apple.token(claims))
                #expect(grant.status == 200)
                #expect(grant["/email"] == shown)
                #expect(grant["/id"] != ann.user.id)
            }
            // And the other way round: the address still opens Ann's account, not one of Apple's.
            #expect(try await caller.signIn().user.id == ann.user.id)
        }
    }

    @Test func `an Apple identity token with a wrong issuer, audience, time, subject, signature or form is refused`()
        async throws
    {
        try await server.run(try configuration()) { caller async throws in
            var spoilt: [(String, String)] = []
            func spoil(_ fault: String, kid: String = "ec", _ change: (inout AppleUnderTest.Claims) -> Void)
                async throws
            {
                var claims = AppleUnderTest.Claims()
                change(&claims)
                spoilt.append((fault, try await apple.token(claims, kid: kid)))
            }
            try await spoil("issuer") { $0.iss = "https://appleid.apple.com.example" }
            try await spoil("audience") { $0.aud = .init(value: ["com.example.evil"]) }
            try await spoil("audience") { $0.aud = .init(value: [""]) }
            try await spoil("expired") { $0.exp = $0.iat - 300 }
            try await spoil("issuedLater") { $0.iat += 3600 }
            try await spoil("subject") { $0.sub = "" }
            try await spoil("signature", kid: "stranger") { _ in }
            try await spoil("signature", kid: "rs512") { _ in }
            let good = try await apple.token()
            let parts = good.split(separator: ".").map(String.init)
            let foreign = try await apple.token().split(separator: ".")[2]
            spoilt.append(("signature", "\(parts[0]).\(parts[1]).\(foreign.dropFirst(4))AAAA"))
            let other = Base64URL.encode(#"{"alg":"none","kid":"ec"}"#.utf8)
            spoilt.append(("signature", "\(other).\(parts[1])."))
            // The public key as an HMAC secret: an old trick, for readers whose algorithm the token chooses.
            let header = Base64URL.encode(#"{"alg":"HS256","kid":"ec"}"#.utf8)
            let secret = SymmetricKey(data: Data(apple.ec.publicKey.pemRepresentation.utf8))
            let code = HMAC<SHA256>.authenticationCode(for: Data("\(header).\(parts[1])".utf8), using: secret)
            spoilt.append(("signature", "\(header).\(parts[1]).\(Base64URL.encode(Array(code)))"))
            // A good signature by a key whose algorithm the header does not name.
            let misnamed = Base64URL.encode(#"{"alg":"RS256","kid":"ec"}"#.utf8) + "." + parts[1]
            let signature = try P256.Signing.PrivateKey(pemRepresentation: apple.ec.pemRepresentation)
                .signature(for: Data(misnamed.utf8))
            spoilt.append(("signature", "\(misnamed).\(Base64URL.encode(signature.rawRepresentation))"))
            let critical = Base64URL.encode(#"{"alg":"ES256","kid":"ec","crit":["x"]}"#.utf8)
            spoilt.append(("signature", "\(critical).\(parts[1]).\(parts[2])"))
            for text in ["x", "a.b", "a.b.c", "\(good).x", String(repeating: "a", count: 9000)] {
                spoilt.append(("malformed", text))
            }
            for (fault, token) in spoilt {
                let reply = try await signIn(caller, token)
                #expect(reply.status == 403, "\(fault)")
                #expect(reply["/fault"] == "refused")
                #expect(caller.log.lines.last { $0["by"] == "apple" }?["fault"] == fault)
            }
            #expect(try await signIn(caller, good).status == 200)
        }
    }

    @Test
    func `an Apple sign-in is refused unless request and token have the same nonce, plain or hashed, or no nonce`()
        async throws
    {
        try await server.run(try configuration()) { caller async throws in
            let hash = SHA256.hash(data: Data("n0nce".utf8)).map { byte in
                String(UInt16(byte) + 0x100, radix: 16).dropFirst()
            }.joined()
            let cases: [(told: String?, sent: String?, status: Int)] = [
                (nil, "n0nce", 403), ("n0nce", "n0nce", 200), (hash, "n0nce", 200), ("other", "n0nce", 403),
                ("n0nce", nil, 403), ("n0nce", hash, 403),
                // A digest can be read in the token, so it proves nothing.
                (hash, hash, 403), (nil, nil, 200),
            ]
            for (told, sent, status) in cases {
                var claims = AppleUnderTest.Claims()
                claims.nonce = told
                let reply = try await signIn(caller, try await apple.token(claims), nonce: sent)
                #expect(reply.status == status)
            }
        }
    }

    @Test func `new Apple keys are read without a restart, and a missing key file is reported as unavailable`()
        async throws
    {
        let next = try await AppleUnderTest()
        let configuration = try configuration()
        let file = try #require(configuration.appleKeys)
        try await server.run(configuration) { caller async throws in
            let token = try await next.token()
            #expect(try await signIn(caller, token).status == 403)
            try next.publish(to: file)
            #expect(try await signIn(caller, token).status == 200)
            try FileManager.default.removeItem(at: file)
            #expect(try await signIn(caller, token).answer.error == "503 unavailable")
        }
    }

    @Test func `without keys Sign in with Apple is reported as not configured`() async throws {
        var configuration = try configuration()
        configuration.appleKeys = nil
        configuration.appleAudiences = []
        try await server.run(configuration) { caller async throws in
            let reply = try await signIn(caller, try await apple.token())
            #expect(reply.status == 501)
            #expect(reply["/fault"] == "refused")
            #expect(reply["/text"] == "Sign in with Apple is not configured here")
        }
    }

    @Test func `an incomplete Apple configuration or an invalid key file is refused at the start`() throws {
        var configuration = try configuration()
        configuration.appleAudiences = []
        #expect(throws: IdentityStartupError.appleIncomplete) { try TokenServer(configuration, log: server.log.logger) }
        configuration.appleAudiences = ["a"]
        let file = server.folder.appending(path: "empty.json")
        for text in ["", "{}", #"{"keys":[]}"#, #"{"keys":[{"kty":"RSA","kid":"short","n":"AQAB","e":"AQAB"}]}"#] {
            try Data(text.utf8).write(to: file)
            configuration.appleKeys = file
            #expect(throws: IdentityStartupError.unreadableAppleKeys(file.path)) {
                try TokenServer(configuration, log: server.log.logger)
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetWire
import HTTPTypes
import ServerFixtures
import Testing

@testable import FreshetIdentity
@testable import FreshetServer
@testable import FreshetSystem

@Suite(.timeLimit(.minutes(5)))
struct `A register of OAuth clients` {
    let server = ServerUnderTest()

    private static let secret = "a secret that nobody guesses: 100%+"
    private static let account = PasswordCredentials(email: "ann@example.com", password: "correct horse")

    private func configuration(_ clients: String? = nil) throws -> ServerConfiguration {
        var configuration = server.configuration
        let hash = ClientSecretHash(of: Self.secret).text
        let text =
            clients
                ?? """
                {"clients":[{"id":"web","kind":"confidential","secret":"\(hash)"},{"id":"phone","kind":"public"},
                {"id":"other","kind":"confidential","secret":"\(hash)"}]}
                """
        try FileManager.default.createDirectory(
            at: server.folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let file = server.folder.appending(path: "clients.json")
        try Data(text.utf8).write(to: file)
        configuration.oauthClients = file
        return configuration
    }

    private static func basic(_ id: String, _ secret: String? = nil) -> String {
        func encoded(_ text: String) -> String { URLEncodedForm.encode([("", text)]).replacing("=", with: "") }
        return "Basic " + Data("\(encoded(id)):\(secret.map(encoded) ?? "")".utf8).base64EncodedString()
    }

    private func form(
        _ caller: TestHTTPClient,
        _ path: String,
        _ fields: KeyValuePairs<String, String?>,
        as authorization: String? = nil
    ) async throws -> TestHTTPClient.Reply {
        var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        headers[.authorization] = authorization
        let text = URLEncodedForm.encode(fields.compactMap { name, value in value.map { (name, $0) } })
        return caller.parse(try await caller.send(.post, path, text, headers: headers))
    }

    private func refresh(
        _ caller: TestHTTPClient,
        _ token: String?,
        as authorization: String?,
        _ more: (String, String)? = nil
    ) async throws -> TestHTTPClient.Reply {
        let fields: [(String, String)] =
            [("grant_type", "refresh_token"), ("refresh_token", token ?? "")] + (more.map { [$0] } ?? [])
        var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        headers[.authorization] = authorization
        let body = URLEncodedForm.encode(fields)
        return caller.parse(try await caller.send(.post, "/oauth/token", body, headers: headers))
    }

    /// Signs up through a client.
    private func signUp(_ caller: TestHTTPClient, as authorization: String?) async throws -> TestHTTPClient.Reply {
        var headers: HTTPFields = [.contentType: "application/json"]
        headers[.authorization] = authorization
        let body = String(decoding: try JSONEncoder().encode(Self.account), as: UTF8.self)
        return caller.parse(try await caller.send(.post, NativePath.signup, body, headers: headers))
    }

    private static func claims(_ token: String?) throws -> JSONObject {
        let parts = try #require(token?.split(separator: "."))
        let bytes = try #require(Base64URL.decode(parts[1]))
        return try #require(try JSONParser.parse(bytes).object)
    }

    @Test func `a client refreshes only with its correct secret, sent in the header or in the form`() async throws {
        try await server.run(try configuration()) { caller in
            let grant = try await signUp(caller, as: Self.basic("web", Self.secret))
            #expect(grant.status == 201)
            let token = grant["/refresh_token"]
            for (fields, authorization) in [
                ([:], Self.basic("web", Self.secret)),
                (["client_id": "web", "client_secret": Self.secret], nil),
                (["client_id": "web"], Self.basic("web", Self.secret)),
                // As libraries send it that do not encode it as in a form.
                ([:], "Basic " + Data("web:\(Self.secret)".utf8).base64EncodedString()),
            ] as [([String: String], String?)] {
                var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
                headers[.authorization] = authorization
                let all = [("grant_type", "refresh_token"), ("refresh_token", token ?? "")] + fields.map { ($0, $1) }
                let answer = try await caller.send(.post, "/oauth/token", URLEncodedForm.encode(all), headers: headers)
                #expect(answer.status == 200, "\(answer.error)")
                #expect(try Self.claims(caller.parse(answer)["/access_token"])["client_id"]?.string == "web")
            }
            for (id, secret) in [
                ("web", nil), ("web", "wrong"), ("web", Self.secret + " "), ("nobody", Self.secret),
                ("phone", Self.secret),
                ("", Self.secret),
            ] {
                let answer = try await refresh(caller, token, as: Self.basic(id, secret))
                #expect(answer.answer.error == "401 invalid_client")
                #expect(answer.answer.headers[.wwwAuthenticate]?.hasPrefix("Basic ") == true)
                #expect(answer.answer.headers[.cacheControl] == "no-store")
            }
            for authorization in [
                "Basic !!!", "Basic", "Bearer abc", "Basic \(Data("web".utf8).base64EncodedString())",
            ] {
                #expect(try await refresh(caller, token, as: authorization).answer.error == "401 invalid_client")
            }
            #expect(try await refresh(caller, token, as: nil).answer.error == "401 invalid_client")
            // Two ways at once, and a header that stands twice.
            let twice = try await refresh(caller, token, as: Self.basic("web", Self.secret), ("client_secret", "x"))
            #expect(twice.answer.error == "400 invalid_request")
            let other = try await refresh(caller, token, as: Self.basic("web", Self.secret), ("client_id", "phone"))
            #expect(other.answer.error == "400 invalid_request")
            // The session is still valid.
            #expect(try await refresh(caller, token, as: Self.basic("web", Self.secret)).status == 200)
        }
    }

    @Test func `requests that name a client without its secret do not lock the client out`() async throws {
        try await server.run(try configuration()) { caller in
            let grant = try await signUp(caller, as: Self.basic("web", Self.secret))
            for _ in 1...150 {
                let answer = try await refresh(caller, grant["/refresh_token"], as: Self.basic("web", nil))
                #expect(answer.answer.error == "401 invalid_client")
            }
            let answer = try await refresh(caller, grant["/refresh_token"], as: Self.basic("web", Self.secret))
            #expect(answer.status == 200)
        }
    }

    @Test func `a session is bound to the OAuth client that opened it`() async throws {
        try await server.run(try configuration()) { caller in
            let grant = try await signUp(caller, as: Self.basic("phone"))
            #expect(grant.status == 201)
            let token = grant["/refresh_token"]
            #expect(try Self.claims(grant["/access_token"])["client_id"]?.string == "phone")

            let foreign = try await refresh(caller, token, as: Self.basic("web", Self.secret))
            #expect(foreign.answer.error == "400 invalid_grant")
            #expect(try await caller.refresh(token ?? "", .random()).error == "400 invalid_request")
            for given in [token, grant["/access_token"]] {
                let revoked = try await form(
                    caller,
                    "/oauth/revoke",
                    ["token": given],
                    as: Self.basic("web", Self.secret)
                )
                #expect(revoked.answer.error == "400 invalid_grant")
            }
            let own = try await refresh(caller, token, as: nil, ("client_id", "phone"))
            #expect(own.status == 200)
            #expect(
                try await form(caller, "/oauth/revoke", ["token": own["/refresh_token"], "client_id": "phone"]).status
                    == 200
            )
            #expect(
                try await refresh(caller, token, as: Self.basic("phone")).answer.error == "400 invalid_grant logout"
            )
        }
    }

    @Test func `a sign-in without an OAuth client succeeds, and invalid client credentials are refused`() async throws {
        try await server.run(try configuration()) { caller in
            let grant = try await caller.signUp()
            #expect(try Self.claims(grant.accessToken)["client_id"]?.string == "api")
            #expect(try await caller.refresh(grant.refreshToken, .random()).status == 200)
            #expect(try await signUp(caller, as: "Bearer an-old-token").answer.error == "409 conflict")
            for authorization in [Self.basic("nobody"), Self.basic("web"), "Basic"] {
                #expect(try await signUp(caller, as: authorization).answer.error == "401 invalid_client")
            }
        }
    }

    @Test func `a refresh with an additional scope is refused`() async throws {
        try await server.run(try configuration()) { caller in
            let grant = try await signUp(caller, as: Self.basic("phone"))
            let wide = try await refresh(caller, grant["/refresh_token"], as: Self.basic("phone"), ("scope", "admin"))
            #expect(wide.answer.error == "400 invalid_scope")
            #expect(try await refresh(caller, grant["/refresh_token"], as: Self.basic("phone")).status == 200)
        }
    }

    @Test func `a client secret can be stored as an scrypt hash`() async throws {
        let hasher = PasswordHasher(server.configuration.passwords)
        let phc = try await hasher.hash(Self.secret)
        try await hasher.shutDown()
        let clients = #"{"clients":[{"id":"web","kind":"confidential","secret":"\#(phc)"}]}"#
        try await server.run(try configuration(clients)) { caller in
            let grant = try await signUp(caller, as: Self.basic("web", Self.secret))
            #expect(grant.status == 201)
            #expect(try await refresh(caller, grant["/refresh_token"], as: Self.basic("web", "x")).status == 401)
        }
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"clients":{}}"#, #"{"clients":[],"more":1}"#, #"{"clients":[1]}"#,
        #"{"clients":[{"id":"a"}]}"#, #"{"clients":[{"id":"","kind":"public"}]}"#,
        #"{"clients":[{"id":"a b","kind":"public"}]}"#, #"{"clients":[{"id":"a:b","kind":"public"}]}"#,
        #"{"clients":[{"id":"a","kind":"secret"}]}"#, #"{"clients":[{"id":"a","kind":"confidential"}]}"#,
        #"{"clients":[{"id":"a","kind":"confidential","secret":"plain"}]}"#,
        #"{"clients":[{"id":"a","kind":"confidential","secret":"sha256:12"}]}"#,
        #"{"clients":[{"id":"a","kind":"confidential","secret":"sha256:+1\#(String(repeating: "0", count: 62))"}]}"#,
        #"{"clients":[{"id":"a","kind":"public","secret":"sha256:\#(String(repeating: "0", count: 64))"}]}"#,
        #"{"clients":[{"id":"a","kind":"public"},{"id":"a","kind":"public"}]}"#,
        #"{"clients":[{"id":"a","kind":"public","sekret":"x"}]}"#,
    ])
    func `an invalid file of OAuth clients prevents the server's start`(text: String) throws {
        let configuration = try configuration(text)
        #expect { try TokenServer(configuration, log: server.log.logger) } throws: { error in
            guard case .unreadableClients? = error as? IdentityStartupError else { return false }
            return true
        }
    }

    @Test func `no client secret is logged`() async throws {
        try await server.run(try configuration()) { caller in
            _ = try await signUp(caller, as: Self.basic("web", Self.secret))
            _ = try await refresh(caller, "frt_x", as: Self.basic("web", Self.secret))
        }
        let encoded = Self.basic("web", Self.secret).dropFirst(6)
        for line in server.log.lines.flatMap(\.values) {
            #expect(!line.contains(Self.secret))
            #expect(!line.contains(encoded))
        }
    }

    // MARK: - Introspection and metadata

    @Test func `introspection reports a token's state, and only to confidential clients`() async throws {
        try await server.run(try configuration()) { caller in
            let grant = try await signUp(caller, as: Self.basic("web", Self.secret))
            let native = try await caller.signIn()
            let web = Self.basic("web", Self.secret)
            func introspect(
                _ token: String?,
                _ client: String?,
                hint: String? = nil
            ) async throws -> TestHTTPClient.Reply {
                try await form(
                    caller,
                    "/oauth/introspect",
                    ["token": token, "token_type_hint": hint],
                    as: client
                )
            }
            for hint in [nil, "access_token", "refresh_token", "other"] {
                let access = try await introspect(grant["/access_token"], web, hint: hint)
                #expect(access.status == 200)
                #expect(access.json?.object?["active"]?.bool == true)
                #expect(access["/token_type"] == "Bearer")
                #expect(access["/client_id"] == "web")
                #expect(access["/iss"] == "http://localhost")
                #expect(access["/aud"] == "api")
                #expect(access["/sid"] == grant["/session_id"])
                #expect(access["/sub"] == grant["/user/id"])
                #expect(access.answer.headers[.cacheControl] == "no-store")
                let refresh = try await introspect(grant["/refresh_token"], web, hint: hint)
                #expect(refresh.json?.object?["active"]?.bool == true)
                #expect(refresh["/sid"] == grant["/session_id"])
            }
            #expect(try await introspect(native.accessToken, web)["/client_id"] == "api")
            #expect(try await introspect(native.refreshToken, web).json?.object?["active"]?.bool == true)

            let nothing = JSONObject([.init("active", .bool(false))])
            let foreign = Self.basic("other", Self.secret)
            #expect(try await introspect(grant["/refresh_token"], foreign).json?.object == nothing)
            for token in ["nonsense", "frt_AAAA", "a.b.c", "frt_" + String(repeating: "A", count: 9000)] {
                let answer = try await introspect(token, web)
                #expect(answer.status == 200)
                #expect(answer.json?.object == nothing)
            }
            for client in [nil, Self.basic("phone"), Self.basic("web", "wrong"), Self.basic("nobody", "x")] {
                #expect(try await introspect(grant["/access_token"], client).answer.error == "401 invalid_client")
            }
            #expect(try await introspect(nil, web).answer.error == "400 invalid_request")

            // A superseded token is inactive, and after the session's end every token is.
            let next = try await refresh(caller, grant["/refresh_token"], as: web)
            _ = try await refresh(caller, next["/refresh_token"], as: web)
            #expect(try await introspect(grant["/refresh_token"], web).json?.object == nothing)
            #expect(try await introspect(next["/refresh_token"], web).json?.object?["active"]?.bool == true)
            #expect(try await form(caller, "/oauth/revoke", ["token": next["/refresh_token"]], as: web).status == 200)
            for token in [next["/refresh_token"], grant["/access_token"], next["/access_token"]] {
                #expect(try await introspect(token, web).json?.object == nothing)
            }
            server.advance(by: .seconds(601))
            #expect(try await introspect(native.accessToken, web).json?.object == nothing)
        }
    }

    @Test func `introspection of a refresh token does not count as a use of the token`() async throws {
        try await server.run(try configuration()) { caller in
            let grant = try await caller.signUp()
            let next: SessionTokens = try await caller.refresh(grant.refreshToken, .random()).json()
            for token in [grant.refreshToken, next.refreshToken] {
                let web = Self.basic("web", Self.secret)
                let answer = try await form(caller, "/oauth/introspect", ["token": token], as: web)
                #expect(answer.json?.object?["active"]?.bool == true)
            }
            // Had it counted as a use, the old one were superseded now.
            #expect(try await caller.refresh(grant.refreshToken, .random()).error == "400 invalid_grant fork")
        }
    }

    @Test func `the authorization server metadata lists the available endpoints under the issuer's URL`() async throws {
        try await server.run(try configuration()) { caller in
            let metadata = try await caller.get("/.well-known/oauth-authorization-server", bearer: nil)
            #expect(metadata["/issuer"] == "http://localhost")
            #expect(metadata["/token_endpoint"] == "http://localhost/oauth/token")
            #expect(metadata["/introspection_endpoint"] == "http://localhost/oauth/introspect")
            #expect(metadata["/jwks_uri"] == "http://localhost/.well-known/jwks.json")
            #expect(metadata["/token_endpoint_auth_methods_supported/1"] == "client_secret_basic")
            #expect(metadata.json?.object?["response_types_supported"]?.array == [])
        }
        try await server.run { caller in
            let metadata = try await caller.get("/.well-known/oauth-authorization-server", bearer: nil)
            #expect(metadata["/introspection_endpoint"] == nil)
            #expect(metadata["/token_endpoint_auth_methods_supported/0"] == "none")
            #expect(try await form(caller, "/oauth/introspect", ["token": "x"]).status == 404)
        }
    }
}

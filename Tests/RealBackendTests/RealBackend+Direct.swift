// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The backends' responses to a client that is not the SDK.
extension RealBackend {
    /// An answer.
    struct Reply: Sendable {
        var status: Int
        var headers: [String: String]
        var body: Data

        /// The body as text.
        var text: String { String(decoding: body, as: UTF8.self) }
        /// The names on the highest level of a JSON body.
        var names: Set<String> { Set(object.keys) }
        private var object: [String: Any] {
            (try? JSONSerialization.jsonObject(with: body) as? [String: Any]) ?? [:]
        }

        /// A text in a JSON body; a dot leads into an object.
        subscript(path: String) -> String? {
            let names = path.split(separator: ".").map(String.init)
            let parent = names.dropLast().reduce(object) { $0[$1] as? [String: Any] ?? [:] }
            return names.last.flatMap { parent[$0] as? String }
        }

        /// A number in a JSON body.
        func number(_ name: String) -> Double? { object[name] as? Double }
    }

    /// Sends what somebody with `curl` sends.
    func send(
        _ method: String,
        _ path: String,
        json: [String: Any]? = nil,
        form: [String: String]? = nil,
        bearer: String? = nil,
        headers: [String: String] = [:]
    ) async throws -> Reply {
        var request = URLRequest(url: try #require(URL(string: facts.baseURL.absoluteString + path)))
        request.httpMethod = method
        if let json {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try JSONSerialization.data(withJSONObject: json)
        }
        if let form {
            request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
            // Letters, digits and dashes are all that these tests send.
            request.httpBody = Data(form.map { "\($0)=\($1)" }.joined(separator: "&").utf8)
        }
        if let bearer { request.setValue("Bearer \(bearer)", forHTTPHeaderField: "Authorization") }
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let (body, response) = try await URLSessionTransport().exchange(request, deadline: .seconds(20))
        let fields = response.allHeaderFields.map { ("\($0)".lowercased(), "\($1)") }
        return Reply(status: response.statusCode, headers: Dictionary(fields) { $1 }, body: body)
    }

    /// Signs in; `password` is a wrong one, if it is there.
    func login(password: String? = nil) async throws -> Reply {
        let password = password ?? facts.password
        let account = ["username": facts.user, "password": password]
        switch kind {
        case .simpleJWT, .rotatingSimpleJWT: return try await send("POST", "/api/token/", json: account)
        case .flaskJWTExtended: return try await send("POST", "/login", json: account)
        case .fastAPI:
            return try await send("POST", "/token", form: ["username": facts.user, "password": password])
        case .djangoOAuthToolkit:
            return try await token([
                "grant_type": "password", "username": facts.user, "password": password,
            ])
        case .cognito:
            let parameters = ["USERNAME": facts.user, "PASSWORD": password]
            return try await cognito(
                "InitiateAuth",
                ["AuthFlow": "USER_PASSWORD_AUTH", "AuthParameters": parameters]
            )
        }
    }

    /// Signs in, and gives the tokens.
    func tokens() async throws -> Tokens { try tokens(in: try await login()) }

    /// The tokens in an answer that has both.
    func tokens(in reply: Reply) throws -> Tokens {
        #expect(reply.status == 200)
        let (access, refresh) =
            switch kind {
            case .simpleJWT, .rotatingSimpleJWT: ("access", "refresh")
            case .cognito: ("AuthenticationResult.AccessToken", "AuthenticationResult.RefreshToken")
            case .djangoOAuthToolkit, .flaskJWTExtended, .fastAPI: ("access_token", "refresh_token")
            }
        return Tokens(access: try #require(reply[access]), refresh: try #require(reply[refresh]))
    }

    /// Presents a refresh token.
    func refresh(_ token: String) async throws -> Reply {
        switch kind {
        case .simpleJWT, .rotatingSimpleJWT:
            return try await send("POST", "/api/token/refresh/", json: ["refresh": token])
        case .flaskJWTExtended: return try await send("POST", "/refresh", bearer: token)
        case .fastAPI: return try await send("POST", "/auth/refresh", json: ["refresh_token": token])
        case .djangoOAuthToolkit:
            return try await self.token(["grant_type": "refresh_token", "refresh_token": token])
        case .cognito:
            let parameters = ["REFRESH_TOKEN": token]
            return try await cognito(
                "InitiateAuth",
                ["AuthFlow": "REFRESH_TOKEN_AUTH", "AuthParameters": parameters]
            )
        }
    }

    /// Revokes the refresh token, as somebody on another device would.
    func revoke(_ tokens: Tokens) async throws -> Reply {
        switch kind {
        case .simpleJWT, .rotatingSimpleJWT:
            return try await send("POST", "/api/token/blacklist/", json: ["refresh": tokens.refresh])
        case .flaskJWTExtended: return try await send("DELETE", "/logout", bearer: tokens.refresh)
        case .djangoOAuthToolkit:
            let fields = ["token": tokens.refresh, "client_id": facts.clientID]
            return try await send("POST", "/o/revoke_token/", form: fields)
        case .cognito: return try await cognito("GlobalSignOut", ["AccessToken": tokens.access])
        case .fastAPI: return try #require(nil, "it has no such route")
        }
    }

    /// The claims of a JWT.
    func claims(of token: String) throws -> Claims {
        let parts = token.split(separator: ".")
        try #require(parts.count == 3)
        // Base64url, as JWTs are written, is not what Foundation reads.
        var text = parts[1].replacing("-", with: "+").replacing("_", with: "/")
        while text.count % 4 != 0 { text += "=" }
        return try JSONDecoder().decode(Claims.self, from: try #require(Data(base64Encoded: String(text))))
    }

    /// When a JWT begins and ends.
    struct Claims: Decodable {
        var iat, exp: Double

        var lifetime: Double { exp - iat }
    }

    /// Asks for the resource.
    func call(_ accessToken: String) async throws -> Reply {
        try await send("GET", facts.resource, bearer: accessToken)
    }

    /// Asks for the resource until the token is refused, and gives that answer.
    ///
    /// Polls: the backend is another process with its own clock, and announces no expiry.
    func refusal(of accessToken: String) async throws -> Reply {
        for _ in 0..<600 {
            let reply = try await call(accessToken)
            if reply.status != 200 { return reply }
            try await Task.sleep(for: .milliseconds(50))
        }
        return try #require(nil, "the access token does not end")
    }

    /// The token endpoint of Django OAuth Toolkit.
    func token(_ fields: [String: String], client: String? = nil) async throws -> Reply {
        let client = client ?? facts.clientID
        return try await send("POST", "/o/token/", form: fields.merging(["client_id": client]) { $1 })
    }

    /// An operation of Cognito.
    func cognito(_ operation: String, _ body: [String: Any], client: String? = nil) async throws
        -> Reply
    {
        let client = client ?? facts.clientID
        return try await send(
            "POST",
            "/",
            json: body.merging(["ClientId": client]) { $1 },
            headers: [
                "X-Amz-Target": "AWSCognitoIdentityProviderService.\(operation)",
                "Content-Type": "application/x-amz-json-1.1",
            ]
        )
    }
}

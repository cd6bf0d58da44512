// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetTesting
import Testing

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The app gets the user's details from the response to a sign-in.
@Suite(.timeLimit(.minutes(5))) struct `Sign-in results` {
    private struct Welcome: Decodable, Equatable {
        struct User: Decodable, Equatable {
            var username: String
            var isNewUser: Bool
        }
        var user: User
    }

    @Test func `a melchat sign-in result contains the username and whether the user is new`() async throws {
        let stage = AppFixture(.melchat)
        let session = try stage.launch()
        for isNew in [true, false] {
            let attempt = try await session.requestEmailCode(email: "ann@example.com")
            let result = try await session.signIn(.emailCode(attempt, code: AppBackend.emailCode))
            #expect(result.username == "ann" && result.isNewUser == isNew && result.hasProfile == nil)
            #expect(result.userID == session.status.userID)
            let welcome = try result.decode(Welcome.self)
            #expect(welcome == Welcome(user: .init(username: "ann", isNewUser: isNew)))
        }
    }

    @Test(arguments: [BackendSettings.Casing.snake, .both])
    func `a bitbasel sign-in result contains the full name and whether the user has a profile`(
        casing: BackendSettings.Casing
    )
        async throws
    {
        let stage = AppFixture(.bitbasel)
        stage.backend.settings.casing = casing
        let session = try stage.launch()
        let result = try await session.signIn(.appleIdentityToken("apple-token", fullName: "Ann Example"))
        #expect(result.hasProfile == false && result.isNewUser == nil && result.name == "Ann Example")
        #expect(stage.backend.exchanges.last?.request.body.isEmpty == false)
        let sent = String(decoding: stage.backend.exchanges.last?.request.body ?? Data(), as: UTF8.self)
        #expect(sent.contains(#""full_name":"Ann Example""#))
        var profile = URLRequest(url: try #require(URL(string: "https://api.example.com/profile")))
        profile.httpMethod = "PUT"
        profile.setValue("application/json", forHTTPHeaderField: "Content-Type")
        profile.httpBody = Data(#"{"username":"annie"}"#.utf8)
        #expect(try await session.data(for: profile).1.statusCode == 200)
        #expect(try await session.signIn(.appleIdentityToken("apple-token")).hasProfile == true)
    }

    @Test func `a sign-in result contains no token in its JSON, and its description contains no user data`()
        async throws
    {
        let contract = try Contract(
            json: Data(
                """
                {
                  "contract": 1, "name": "test", "rotation": "always",
                  "endpoints": { "login.password": { "path": "/l" }, "refresh": { "path": "/r" } },
                  "reply": {
                    "envelope": "/data", "anyCasing": true, "access": "/access_token", "refresh": "/refresh_token",
                    "session": "/sid", "tokenType": "/token_type", "expiry": [{ "in": "/expires_in", "unit": "s" }],
                    "user": { "username": "/profile/nick", "isNew": "/profile/fresh" }
                  }
                }
                """.utf8
            )
        )
        let body = """
            {"status":"ok","data":{"accessToken":"secret-a","access_token":"secret-a","refreshToken":"secret-r",\
            "tokens":["secret-a","other"],"copy":{"of":"secret-r","n":1},"SID":"s1","tokenType":"bearer","expiresIn":60,\
            "profile":{"nick":"ann","fresh":"true","plan":{"tier":2}}}}
            """
        let answer = HTTPReply(status: 200, headers: ["Content-Type": "application/json"], body: Data(body.utf8))
        let grant = try contract.grant(from: answer)
        let result = contract.result(of: answer, grant)
        let expected = #"{"tokens":["other"],"copy":{"n":1},"profile":{"nick":"ann","fresh":"true","plan":{"tier":2}}}"#
        #expect(String(decoding: result.json, as: UTF8.self) == expected)
        #expect(result.username == "ann" && result.isNewUser == true)
        var dumped = ""
        dump(result, to: &dumped)
        for text in ["\(result)", String(reflecting: result), dumped] { #expect(!text.contains("ann")) }
    }

    @Test(
        arguments: [
            (#"true"#, true), (#"false"#, false), (#""false""#, false), (#"1"#, true), (#"0"#, false), (#"null"#, nil),
            (#""maybe""#, nil), (#"[]"#, nil), (#"{}"#, nil), (#"2"#, nil),
        ] as [(String, Bool?)]
    )
    func `a Boolean in a response may be a number or a string, and an unknown value is ignored`(
        json: String,
        expected: Bool?
    ) throws {
        let contract = try Contract.named("melchat")
        let body = #"{"success":true,"accessToken":"a","user":{"id":"1","isNewUser":\#(json)}}"#
        let answer = HTTPReply(status: 200, headers: ["Content-Type": "application/json"], body: Data(body.utf8))
        #expect(contract.result(of: answer, try contract.grant(from: answer)).isNewUser == expected)
    }

    @Test func `a sign-in with the app's own tokens returns their user ID and email address`() async throws {
        let session = try AppFixture(.authservice).launch()
        let tokens = TokenGrant(accessToken: "a", refreshToken: "r", userID: "7", email: "ann@example.com")
        #expect(try await session.signIn(.tokens(tokens)) == SignInResult(userID: "7", email: "ann@example.com"))
    }
}

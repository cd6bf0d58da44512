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
@Suite(.timeLimit(.minutes(5))) struct `What a sign-in says about the user` {
    private struct Welcome: Decodable, Equatable {
        struct User: Decodable, Equatable {
            var username: String
            var isNewUser: Bool
        }
        var user: User
    }

    @Test func `melchat: the username, and whether this was the first sign-in`() async throws {
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
    func `bitbasel: whether there is a profile, and the name that Apple told`(casing: BackendSettings.Casing)
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

    @Test func `no token is among the members, under whatever name, and none is printed`() async throws {
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
    func `a Boolean is read as backends write it, and guessed from nothing else`(json: String, expected: Bool?) throws {
        let contract = try Contract.named("melchat")
        let body = #"{"success":true,"accessToken":"a","user":{"id":"1","isNewUser":\#(json)}}"#
        let answer = HTTPReply(status: 200, headers: ["Content-Type": "application/json"], body: Data(body.utf8))
        #expect(contract.result(of: answer, try contract.grant(from: answer)).isNewUser == expected)
    }

    @Test func `tokens of the app's own login say what they came with`() async throws {
        let session = try AppFixture(.authservice).launch()
        let tokens = TokenGrant(accessToken: "a", refreshToken: "r", userID: "7", email: "ann@example.com")
        #expect(try await session.signIn(.tokens(tokens)) == SignInResult(userID: "7", email: "ann@example.com"))
    }
}

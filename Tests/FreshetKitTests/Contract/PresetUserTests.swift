// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import SessionFixtures
import Testing

@testable import FreshetKit

/// An answer with tokens as a backend's documentation shows it, and the user that it names.
struct PresetSample: Sendable, CustomTestStringConvertible {
    var preset: String
    var body: String
    var headers: [String: String] = [:]
    var user: String?
    var testDescription: String { preset }

    /// `body` may hold `ACCESS` and `ID` where the tokens belong: JWTs with these claims, or opaque texts without.
    init(
        _ preset: String,
        _ body: String,
        access: String? = nil,
        id: String? = nil,
        headers: [String: String] = [:],
        user: String? = "u-1"
    ) {
        self.preset = preset
        func fill(_ text: String) -> String {
            text.replacing("ACCESS", with: access.map(Fixtures.jwt) ?? "opaque")
                .replacing("IDTOKEN", with: id.map(Fixtures.jwt) ?? "opaque")
        }
        self.body = fill(body)
        self.headers = headers.mapValues(fill)
        self.user = user
    }

    var answer: HTTPReply {
        HTTPReply(
            status: 200,
            headers: headers.merging(["Content-Type": "application/json"]) { $1 },
            body: Data(body.utf8)
        )
    }

    static let sub = #"{"sub":"u-1","iat":1,"exp":4000000000}"#
    private static let oauth = #"{"access_token":"ACCESS","refresh_token":"r","token_type":"Bearer","expires_in":900}"#
    private static let openID =
        #"{"access_token":"ACCESS","id_token":"IDTOKEN","refresh_token":"r","token_type":"Bearer","expires_in":900}"#

    /// Every preset with an answer to a sign-in; several where the user may stand in several tokens.
    static let signIns: [PresetSample] = [
        PresetSample("appwrite", #"{"jwt":"ACCESS"}"#, access: #"{"userId":"u-1","sessionId":"s","exp":4000000000}"#),
        PresetSample("auth0", openID, access: sub, id: sub), PresetSample("auth0", openID, id: sub),
        PresetSample("authservice", #"{"access":"ACCESS","refresh":"r"}"#, access: sub),
        PresetSample(
            "bitbasel",
            #"{"access_token":"ACCESS","refresh_token":"r","token_type":"bearer","user_id":123,"email":null}"#,
            access: sub,
            user: "123"
        ),
        PresetSample("cognito-oauth", openID, access: sub, id: sub),
        PresetSample("cognito-rotating", cognito, access: sub, id: sub),
        PresetSample("cognito", cognito, access: sub, id: sub), PresetSample("cognito", cognito, id: sub),
        PresetSample("creatist", #"{"access_token":"ACCESS","refresh_token":"r","expires_in":900}"#, access: sub),
        PresetSample(
            "directus",
            #"{"data":{"access_token":"ACCESS","refresh_token":"r","expires":900000}}"#,
            access: #"{"id":"u-1","role":"r","app_access":true,"exp":4000000000}"#
        ),
        PresetSample("discord", oauth, user: nil),
        PresetSample("django-oauth-toolkit", openID, id: sub),
        PresetSample("doorkeeper", openID, id: sub),
        PresetSample("entra", openID, id: #"{"oid":"u-1","sub":"pairwise","tid":"t"}"#),
        PresetSample("fastapi", #"{"access_token":"ACCESS","token_type":"bearer"}"#, access: sub),
        PresetSample("firebase", #"{"id_token":"ACCESS","refresh_token":"r","expires_in":"3600"}"#, access: sub),
        PresetSample(
            "firebase",
            #"{"id_token":"ACCESS","refresh_token":"r","expires_in":"3600","user_id":"u-1"}"#,
            access: sub
        ),
        PresetSample("flask-jwt-extended", #"{"access_token":"ACCESS","refresh_token":"r"}"#, access: sub),
        PresetSample("freshet", native, access: sub),
        PresetSample("fusionauth", #"{"token":"ACCESS","refreshToken":"r"}"#, access: sub),
        PresetSample("fusionauth", #"{"token":"ACCESS","refreshToken":"r","user":{"id":"u-1"}}"#, access: sub),
        PresetSample("github-app", oauth, user: nil),
        PresetSample("google", openID, id: sub),
        PresetSample("keycloak", openID, access: sub, id: sub),
        PresetSample("laravel-passport", oauth, access: sub),
        PresetSample(
            "melchat",
            #"{"success":true,"accessToken":"ACCESS","refreshToken":"r","expiresIn":900,"user":{"id":"u-1"}}"#,
            access: sub
        ),
        PresetSample("melchat", #"{"success":true,"accessToken":"ACCESS","expiresIn":900}"#, access: sub),
        PresetSample(
            "nakama",
            #"{"created":false,"token":"ACCESS","refresh_token":"r"}"#,
            access: #"{"tid":"t","uid":"u-1","usn":"name","exp":4000000000}"#
        ),
        PresetSample(
            "nestjs-boilerplate",
            #"{"token":"ACCESS","refreshToken":"r","tokenExpires":4000000000000,"user":{"id":7}}"#,
            access: #"{"id":7,"role":{"id":1},"sessionId":3}"#,
            user: "7"
        ),
        PresetSample(
            "nestjs-boilerplate",
            #"{"token":"ACCESS","refreshToken":"r","tokenExpires":4000000000000}"#,
            access: #"{"id":7,"role":{"id":1},"sessionId":3}"#,
            user: "7"
        ),
        PresetSample("oauth2", openID, access: sub, id: sub), PresetSample("oauth2", openID, id: sub),
        PresetSample("oauth2", oauth, user: nil),
        PresetSample(
            "okta",
            openID,
            access: #"{"sub":"ann@example.com","uid":"u-1","exp":4000000000}"#,
            id: sub
        ),
        PresetSample("okta", openID, id: sub),
        PresetSample("ory-hydra", openID, id: sub),
        PresetSample("outbox", #"{"data":{"access_token":"ACCESS","refresh_token":"r"}}"#, access: sub),
        PresetSample("outbox", #"{"data":{"accessToken":"ACCESS","refreshToken":"r"}}"#, access: sub),
        PresetSample("parse-server", #"{"objectId":"u-1","sessionToken":"r:s"}"#),
        PresetSample(
            "pocketbase",
            #"{"token":"ACCESS","record":{"id":"u-1","email":"a@b"}}"#,
            access: #"{"id":"u-1","type":"auth","collectionId":"c","exp":4000000000}"#
        ),
        PresetSample("pocketbase", #"{"token":"ACCESS"}"#, access: #"{"id":"u-1","type":"auth","exp":4000000000}"#),
        PresetSample(
            "salesforce",
            #"{"access_token":"00D!x","refresh_token":"r","token_type":"Bearer","id":"https://login.salesforce.com/id/00D/005"}"#,
            user: "https://login.salesforce.com/id/00D/005"
        ),
        PresetSample(
            "simplejwt",
            #"{"access":"ACCESS","refresh":"r"}"#,
            access: #"{"token_type":"access","exp":4000000000,"jti":"j","user_id":"7"}"#,
            user: "7"
        ),
        PresetSample(
            "slack",
            #"{"ok":true,"access_token":"xoxe.x","refresh_token":"r","expires_in":43200}"#,
            user: nil
        ),
        PresetSample("spotify", oauth, user: nil),
        PresetSample("strapi", #"{"jwt":"ACCESS","user":{"id":7,"email":"a@b"}}"#, access: #"{"id":7}"#, user: "7"),
        PresetSample(
            "strapi",
            #"{"jwt":"ACCESS","refreshToken":"r"}"#,
            access: #"{"userId":"7","sessionId":"s","type":"access"}"#,
            user: "7"
        ),
        PresetSample(
            "supabase",
            #"{"access_token":"ACCESS","token_type":"bearer","expires_in":3600,"refresh_token":"r","user":{"id":"u-1"}}"#,
            access: sub
        ),
        PresetSample("supabase", oauth, access: sub),
        PresetSample(
            "supertokens",
            #"{"status":"OK"}"#,
            access: sub,
            headers: ["st-access-token": "ACCESS", "st-refresh-token": "r"]
        ),
        PresetSample("twitch", openID, id: sub), PresetSample("twitch", oauth, user: nil),
        PresetSample(
            "tymon-jwt-auth",
            #"{"access_token":"ACCESS","token_type":"bearer","expires_in":3600}"#,
            access: sub
        ),
    ]

    private static let cognito =
        #"{"AuthenticationResult":{"AccessToken":"ACCESS","IdToken":"IDTOKEN","RefreshToken":"r","ExpiresIn":3600,"TokenType":"Bearer"}}"#
    private static let native =
        #"{"access_token":"ACCESS","token_type":"Bearer","expires_in":600,"refresh_token":"\#(Fixtures.refreshToken(0))"}"#
}

@Suite struct `Users of presets` {
    @Test(arguments: PresetSample.signIns) func `a preset reads the user ID from its sample response`(
        sample: PresetSample
    ) throws {
        #expect(try Contract.named(sample.preset).grant(from: sample.answer).userID == sample.user)
    }

    @Test func `every preset has a sample response, and only four known presets define no user`() throws {
        #expect(Set(PresetSample.signIns.map(\.preset)) == Set(Contract.presets))
        let silent = try Contract.presets.filter { try Contract.named($0).document.reply.users.isEmpty }
        #expect(silent == ["discord", "github-app", "slack", "spotify"])
    }

    @Test(arguments: PresetSample.signIns) func `all user sources of a preset return the same user ID`(
        sample: PresetSample
    ) throws {
        guard sample.preset != "entra" else { return }
        let users = try Contract.named(sample.preset).grant(from: sample.answer).users
        #expect(Set(users.map(\.id)).count <= 1, "\(users)")
    }

    @Test func `an unreadable token or an invalid user claim yields no user`() throws {
        for access in [
            "a.b.c", "..", "a.e30.c", Fixtures.jwt("[]"), Fixtures.jwt(#"{"sub":{"x":1}}"#),
            Fixtures.jwt(#"{"sub":""}"#),
        ] {
            let answer = HTTPReply(
                status: 200,
                headers: ["Content-Type": "application/json"],
                body: Data(#"{"access":"\#(access)","refresh":"r"}"#.utf8)
            )
            #expect(try Contract.named("authservice").grant(from: answer).users.isEmpty)
        }
    }

    @Test func `a user ID may come from a nested claim of a token other than the access token`() throws {
        let contract = try Contract(
            json: Data(
                """
                {"contract":1,"name":"x","title":"x","endpoints":{"refresh":{"path":"/r","json":{"t":"$refresh_token"}}},
                "reply":{"access":"/a","refresh":"/r","user":[{"jwt":"/https:~1~1x/user","at":"/i"},"/me"],"expiry":[{"assume":60}]},
                "rotation":"optional","classify":[{"on":"refresh","status":401,"outcome":"sessionEnded","reason":"unknown"}]}
                """.utf8
            )
        )
        func user(_ claims: String) throws -> [String] {
            let body = #"{"a":"x","r":"r","i":"\#(Fixtures.jwt(claims))","me":"fallback"}"#
            let headers = ["Content-Type": "application/json"]
            return try contract.grant(from: HTTPReply(status: 200, headers: headers, body: Data(body.utf8))).users.map(
                \.id
            )
        }
        #expect(try user(#"{"https://x":{"user":12}}"#) == ["12", "fallback"])
        #expect(try user("{}") == ["fallback"])
    }
}

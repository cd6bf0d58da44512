// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ContractFixtures
import Foundation
import Testing

@testable import FreshetContract
@testable import FreshetContractLint

@Suite struct `Contract explanations` {
    @Test func `the explanation of a typical contract consists of exactly the expected lines`() throws {
        let document = try ContractDocument(reading: SmallContract.text.utf8)
        let lines = ContractExplanation(document).lines
        let expected = SmallContract.explanation.split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init
        )
        for (line, expected) in zip(lines, expected) { #expect(line == expected) }
        #expect(lines.count == expected.count)
    }

    /// The sentences of the sound contract with some changes.
    private func sentences(_ changes: [(String, String?)]) throws -> [String] {
        var json = ValidContract.json
        for (place, value) in changes {
            json = json.replacing(place, with: try value.map { try JSONParser.parse($0.utf8) })
        }
        return sentences(of: try ContractDocument(json))
    }

    private func sentences(of document: ContractDocument) -> [String] {
        ContractExplanation(document).sections.flatMap(\.lines)
            .compactMap { if case .sentence(let sentence) = $0 { sentence } else { nil } }
    }

    @Test(arguments: [
        "With a password: PUT /$tenant/login with 'client_id' in its URL, 'api_key' in the header X-Api-Key, the nonce in the cookie "
            + "visit, the e-mail address and the password in its JSON body; the timeout is 20 seconds.",
        "A code is sent by: POST /code with the e-mail address in its JSON body.",
        "With the code that came: POST /verify with the attempt and the code in its JSON body.",
        "The response is JSON or a form; the access token is at /access_token or the header Authorization, the refresh token at "
            + "/refresh_token or the cookie refresh.",
        "These places are looked for in /data or the response itself, whichever is there first.",
        "Names are accepted in any casing: access_token, accessToken, AccessToken.",
        "It also contains the user: the user's id at /user/id and the e-mail address at /user/email.",
        "It is a success only if /ok is true and /error is not there.",
        "The error message is at /message, /detail or /error.",
        "'client_id', by default 'app': Public.", "'tenant'", "the secret 'api_key': Given at run time.",
        "A request of the app carries X-Access: Token <access token>.", "It carries X-Tenant: t-$tenant as well.",
        "Only the host of the base URL and api.example.com see it.",
        "A refresh is POST /refresh with 'client_id' and 'api_key' as user and password (Basic), the refresh token in its form.",
        "The socket /ws/$tenant carries the access token in X-Access: Token <access token>, and gets a new one in a message.",
        "Tokens that an older version stored are imported: 'old.access', 'old.refresh' and 'old.expiry', which is synchronized between the user's "
            + "devices.",
        "Tokens that an older version stored are imported: the item that 'old.current' of 'old.index' names of 'old.tokens', at "
            + "'/access~1token' and the item that 'old.current' names, at '/end'.",
        "/expires_in gives its lifetime in milliseconds, counted from the time at /issued_at.",
        "/expires_at gives the time, in ISO 8601.", "The token's 'exp' gives the time.",
        "If the response does not contain it: 15 minutes.",
        "A lifetime below 30 seconds or above 1 day is ignored.",
        "The session's own end: /refresh_expires_in gives its lifetime in seconds, counted from the request.",
        "If the response does not contain it, the session ends after 7 days.", "Each refresh moves the session's end.",
        "120.5 seconds before its expiry at most, and never before half of its lifetime has passed.",
        "Not again within 10 seconds of the last time.",
        "The backend accepts a used refresh token for another 30 seconds.",
        "A new refresh token is kept if the response has one; otherwise the old one stays.",
        "On all devices: DELETE /sessions with the access token in the header X-Access.",
        "Signing out another device: DELETE /sessions/$id with the access token in the header X-Access.",
        "The signed-in user: GET /me with the access token in the header X-Access.",
        "It changes the refresh token with every refresh.",
        "An access token expires after 15 minutes, a session that is not used after 7 days and any session after 30 days.",
        "It has GET /posts to try.", "NOT VERIFIED refresh: as documented [documentation]", "Not verified: 1 of 1.",
    ])
    func `the explanation of a full contract describes every part`(sentence: String) throws {
        let told = sentences(of: try ContractDocument(FullContract.json))
        #expect(told.contains(sentence), "\(told)")
    }

    private static let noLogin: [(String, String?)] = [
        ("/endpoints/login.password", nil), ("/endpoints/login.code", nil), ("/endpoints/login.code.verify", nil),
    ]

    @Test(
        arguments: [
            (noLogin, "The app signs in by its own means, and passes the tokens to the session."),
            ([("/endpoints/login.sms", #"{ "path": "/sms" }"#)], "By 'sms': POST /sms."),
            (
                [("/endpoints/logout", nil)],
                "The backend has no endpoint for it: the tokens stay valid until they expire."
            ),
            (
                [("/replay", #"{ "methods": [] }"#)],
                "Once, when a response says that it has expired; then no request is sent again."
            ),
            (
                [("/socket/token", #"{ "query": "t" }"#)],
                "The socket /ws carries the access token in its URL, as 't', and is opened again for a new one."
            ),
            (
                [("/socket/token", #"{ "subprotocol": "bearer.$access_token" }"#)],
                "The socket /ws carries the access token as the subprotocol bearer.$access_token, and is opened again for a new one."
            ),
            (
                [("/socket/token", #"{ "message": "$access_token" }"#)],
                "The socket /ws carries the access token in its first message, and is opened again for a new one."
            ),
            ([("/attach", #"{ "scheme": "" }"#)], "A request of the app carries Authorization: <access token>."),
            ([("/reply/expiry", nil)], "No response contains it. If the token is a JWT, its 'exp' counts."),
            (
                [("/reply/expiry", #"[{ "at": "header:Ends", "unit": "ms" }]"#)],
                "the header Ends gives the time, in milliseconds since 1970."
            ),
            ([("/reply/expiry", #"[{ "at": "/e", "unit": "http-date" }]"#)], "/e gives the time, as an HTTP date."),
            (
                [("/reply/user", #"[{"jwt":"sub"},{"jwt":"oid","at":"/id_token"},"/me"]"#)],
                "It also contains the user: the user's id in the access token's claim 'sub', in the claim 'oid' of the token at "
                    + "/id_token or at /me."
            ),
            ([("/storage/synchronizable", "true")], "The session is synchronized between the user's devices."),
            ([("/rotation", "\"always\"")], "Every refresh brings a new refresh token, and the old one is used up."),
            ([("/rotation", "\"never\"")], "The refresh token stays the same."),
            ([("/rotation", "\"sliding\"")], "There is no refresh token: the access token renews itself."),
            (
                [("/rotation", "\"none\""), ("/endpoints/refresh", nil)],
                "Never: the session lasts as long as its access token, and then the user signs in again."
            ),
            ([("/server/rotation", "\"static\"")], "It keeps the refresh token."),
        ] as [([(String, String?)], String)]
    )
    func `a change of a contract adds the matching sentence to its explanation`(
        changes: [(String, String?)],
        sentence: String
    ) throws {
        let told = try sentences(changes)
        #expect(told.contains(sentence), "\(told)")
        #expect(try !sentences([]).contains(sentence))
    }

    @Test func `the explanation omits sections for parts that the contract does not have`() throws {
        let text = #"{"contract":1,"name":"a","reply":{"access":"/t"},"rotation":"none"}"#
        let explanation = ContractExplanation(try ContractDocument(reading: text.utf8))
        #expect(explanation.title == "a")
        #expect(
            explanation.sections.map(\.title) == [
                "How you sign in", "Where tokens are sent", "When an access token counts as expired",
                "When it is refreshed",
                "Meaning of responses to a request of the app", "Sign-out",
            ]
        )
    }

    @Test func `the explanation contains no control or bidirectional characters of the contract`() throws {
        let json = ValidContract.json.replacing("/title", with: .string("\u{1B}[2J\u{202E}Bank"))
            .replacing("/classify/0/note", with: .string("\u{1B}c\n"))
        let text = ContractExplanation(try ContractDocument(json)).lines.joined()
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{202E}" })
    }

    @Test(arguments: `Presets`.files)
    func `the explanation of every preset has no gap, unwrapped optional or line break`(file: String) throws {
        let document = try ContractDocument(reading: try Data(contentsOf: URL(filePath: file)))
        for line in ContractExplanation(document).lines {
            #expect(!line.contains("Optional(") && !line.contains("  .") && !line.contains("\n"))
        }
    }
}

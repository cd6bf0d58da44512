// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

/// Measures the cost of classifying a response of 1 KB by a contract.
///
/// Two sessions differ in one rule: one reads the body of every response, the other only its status. The
/// difference in cost is decoding and classifying.
struct ReplyBenchmark {
    let url: URL

    /// A grant as backends write them, filled up to 1 KB by what nobody reads.
    static let reply: String = {
        let claims = Data(#"{"iat":784111777,"exp":784115377,"sub":"4711"}"#.utf8)
        let token = "e30.\(claims.base64EncodedString()).c2ln"
        let start = """
            {"access_token":"\(token)","token_type":"Bearer","expires_in":3600,\
            "refresh_token":"tGzv3JOkF0XG5Qx2TlKWIA",\
            "user":{"id":4711,"email":"ada@example.com","roles":["reader","writer"],"name":"Ada \\u004covelace"},
            """
        var fields: [String] = []
        while start.utf8.count + fields.joined(separator: ",").utf8.count < 990 {
            fields.append(#""field_\#(fields.count)":"value \#(fields.count)""#)
        }
        return start + fields.joined(separator: ",") + "}"
    }()

    /// Over a transport that answers at once, with a session that looks into answers or does not.
    func session(looksInto: Bool) async throws -> AuthSession {
        let rule = #"{"on":"api","status":200,"if":{"at":"/error/code","equals":"expired"},"outcome":"accessExpired"}"#
        let contract = try Contract(
            json: Data(
                """
                {"contract":1,"name":"bench","title":"Bench","rotation":"optional",
                "endpoints":{"refresh":{"path":"/refresh","json":{"refresh_token":"$refresh_token"}}},
                "reply":{"access":"/access_token","refresh":"/refresh_token","tokenType":"/token_type",
                "user":{"id":"/user/id","email":"/user/email"},"expiry":[{"in":"/expires_in","unit":"s"}]},
                "classify":[\(looksInto ? rule : "")]}
                """.utf8
            )
        )
        let session = try AuthSession(
            contract: contract,
            baseURL: url,
            store: InMemoryStore(),
            transport: AnswersAtOnce(url, body: Self.reply)
        )
        try await session.signIn(
            .tokens(TokenGrant(accessToken: "t", refreshToken: "r", expiresIn: .seconds(3600), userID: "4711"))
        )
        return session
    }
}

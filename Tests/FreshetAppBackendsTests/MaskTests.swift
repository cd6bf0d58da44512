// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetTesting
import Testing

@Suite struct `Masks of the doubles` {
    private static let secret = "s3cret-text"

    @Test func `descriptions and dumps of requests, responses and backends contain no token`() {
        let backend = AppBackend(.authservice, clock: TestClock())
        var request = BackendRequest(
            "POST",
            "/api/v1/messages",
            query: [URLQueryItem(name: "token", value: Self.secret)],
            headers: ["Cookie": Self.secret],
            body: Data(Self.secret.utf8)
        )
        let grant = backend.signIn()
        request.bearer = grant.accessToken
        _ = backend.respond(to: request)
        backend.fail(.held, at: .api)
        let held = backend.respond(to: request)
        let answer = BackendResponse(200, headers: ["Set-Cookie": Self.secret], body: Data(Self.secret.utf8))
        let holders: [Any] = [
            request, request.headers, answer, BackendReply.answer(answer), backend, grant, backend.exchanges,
            held,
        ]
        for holder in holders {
            var dumped = ""
            dump(holder, to: &dumped)
            for text in ["\(holder)", String(reflecting: holder), dumped] {
                #expect(!text.contains(Self.secret) && !text.contains(grant.accessToken))
                #expect(!text.contains(grant.refreshToken ?? Self.secret))
            }
        }
    }
}

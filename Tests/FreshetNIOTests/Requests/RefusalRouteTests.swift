// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import Testing

@testable import FreshetNIO

/// One classification of answers, whichever transport and call a request goes by.
@Suite(.timeLimit(.minutes(5))) struct `Refusals on every route` {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var contract = "oauth2"
        /// Sends the response to a request with the old token; returns whether the connection stays open.
        var refusal: @Sendable (LoopbackConnection) -> Bool
        /// The response that the caller gets without a replay; `nil` if the request is replayed.
        var handedOver: (status: Int, count: Int)?
        /// The longest pause in a body.
        var timeout: Duration = .seconds(60)
    }

    private static let large = 100 * 1024
    private static let expired = #"{"ok":false,"error":"token_expired"}"#

    private static func head(_ status: String, _ fields: String...) -> String {
        "HTTP/1.1 \(status)\r\n\(fields.map { "\($0)\r\n" }.joined())\r\n"
    }

    private static func whole(_ status: String, _ count: Int) -> @Sendable (LoopbackConnection) -> Bool {
        { $0.send(head(status, "Content-Length: \(count)")) && $0.sendZeros(count) }
    }

    private static func chunk(_ text: String) -> String { "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n" }

    static let cases = [
        Case(testDescription: "an empty 401", refusal: whole("401 Unauthorized", 0)),
        Case(testDescription: "a 401 of 100 KB", refusal: whole("401 Unauthorized", large)),
        Case(
            testDescription: "a 401 whose body stands still",
            refusal: { connection in
                connection.send(head("401 Unauthorized", "Content-Length: 100") + "ten bytes.")
                connection.untilClosed()
                return false
            },
            timeout: .seconds(40)
        ),
        Case(
            testDescription: "a 401 whose body breaks off",
            refusal: { connection in
                connection.send(head("401 Unauthorized", "Transfer-Encoding: chunked") + chunk("ten bytes."))
                return false
            }
        ),
        Case(
            testDescription: "a refusal in a success with a length",
            contract: "slack",
            refusal: {
                $0.send(
                    head("200 OK", "Content-Type: application/json", "Content-Length: \(expired.utf8.count)") + expired
                )
            }
        ),
        Case(
            testDescription: "a refusal in a chunked success",
            contract: "slack",
            refusal: {
                $0.send(
                    head("200 OK", "Content-Type: application/json", "Transfer-Encoding: chunked") + chunk(expired)
                        + "0\r\n\r\n"
                )
            }
        ),
        Case(
            testDescription: "a success of 100 KB where successes are looked at",
            contract: "slack",
            refusal: whole("200 OK", large),
            handedOver: (200, large)
        ),
        Case(
            testDescription: "a JSON success of 100 KB where successes are looked at",
            contract: "slack",
            refusal: {
                $0.send(head("200 OK", "Content-Type: application/json", "Content-Length: \(large)"))
                    && $0.sendZeros(large)
            },
            handedOver: (200, large)
        ),
        Case(testDescription: "a 404 of 100 KB", refusal: whole("404 Not Found", large), handedOver: (404, large)),
        Case(
            testDescription: "a 500 of 100 KB",
            refusal: whole("500 Internal Server Error", large),
            handedOver: (500, large)
        ),
    ]

    @Test(arguments: cases, Route.allCases)
    func `a refused request is replayed once, and any other response is returned whole`(kind: Case, route: Route)
        async throws
    {
        let backend = try RawBackend(refusal: kind.refusal)
        defer { backend.stop() }
        let reply = try await route.send(to: backend.base.appending(path: "things"), timeout: kind.timeout) {
            try await backend.session(kind.contract, over: $0)
        }
        if let (status, count) = kind.handedOver {
            #expect(reply.status == status && reply.body.count == count)
            #expect(backend.seen == ["old"])
        } else {
            #expect(reply.status == 200 && reply.body == Data("ok".utf8))
            #expect(backend.seen == ["old", "refresh", "new"])
        }
    }

    @Test(arguments: Route.allCases)
    func `a truncated response body is an error if the response is no refusal`(route: Route) async throws {
        for status in ["404 Not Found", "500 Internal Server Error", "200 OK"] {
            let backend = try RawBackend {
                $0.send(Self.head(status, "Transfer-Encoding: chunked") + Self.chunk("ten bytes."))
                return false
            }
            defer { backend.stop() }
            let url = try backend.base.appending(path: "things")
            await #expect(throws: (any Error).self) {
                try await route.send(to: url) { try await backend.session(over: $0) }
            }
            #expect(backend.seen == ["old"])
        }
    }

    /// Foundation's `URLSession` on Linux asks its delegate about schemes that it knows, and never ends the task by itself.
    static let challenges = [
        #"Basic realm="things""#, "Basic", #"Digest realm="things", nonce="n", qop="auth", algorithm=MD5"#, "Negotiate",
        "NTLM", #"Bearer error="invalid_token""#, #"DPoP algs="ES256""#, #"Basic realm="a", Bearer realm="b""#,
        "Unheard-Of", ",,= \"", "",
    ]

    @Test(arguments: challenges, Route.allCases)
    func `a 401 with any WWW-Authenticate challenge causes one refresh and is then returned`(
        challenge: String,
        route: Route
    ) async throws {
        let backend = try RawBackend {
            $1.send(
                "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: \(challenge)\r\nContent-Length: 2\r\n\r\nno"
            )
        }
        defer { backend.stop() }
        let reply = try await route.send(to: backend.base.appending(path: "things")) {
            try await backend.session(over: $0)
        }
        #expect(reply.status == 401 && reply.body == Data("no".utf8))
        #expect(backend.seen == ["old", "refresh", "new"])
    }
}

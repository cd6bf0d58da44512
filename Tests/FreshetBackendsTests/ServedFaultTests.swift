// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetKit
import FreshetTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Faults that are served` {
    private func refresh(_ served: ServedBackend) async throws -> ServedBackend.Answer {
        let token = try #require(served.backend.signIn().refreshToken)
        return try await served.send("POST", "/auth/refresh", #"{"refresh_token":"\#(token)"}"#)
    }

    @Test func `a lost response or request drops the connection, but only a lost request has no effect`() async throws {
        try await ServedBackend.live("creatist") { served in
            try await served.control("faults", #"[{"fault":"reply_lost"},{"fault":"request_lost"}]"#)
            await #expect(throws: (any Error).self) { try await refresh(served) }
            #expect(served.backend.counts.grantedRefreshes == 1)
            await #expect(throws: (any Error).self) { try await refresh(served) }
            #expect(served.backend.counts.refreshes == 1)
            #expect(try await refresh(served).status == 200)
        }
    }

    @Test(arguments: [(429, "7"), (503, "9"), (500, nil), (502, nil)] as [(Int, String?)])
    func `an error status is served with and without a Retry-After header`(status: Int, retryAfter: String?)
        async throws
    {
        try await ServedBackend.live("creatist") { served in
            let fields = retryAfter.map { #","retry_after":\#($0)"# } ?? ""
            try await served.control("faults", #"{"fault":"status","status":\#(status)\#(fields)}"#)
            let answer = try await refresh(served)
            #expect(answer.status == status && answer.headers["retry-after"] == retryAfter)
        }
    }

    @Test func `faulty response bodies are sent unchanged over HTTP`() async throws {
        try await ServedBackend.live("creatist") { served in
            try await served.control(
                "faults",
                #"""
                [{"fault":"html","status":403},{"fault":"garbage"},{"fault":"truncated"},{"fault":"empty"},
                {"fault":"mislabelled","type":"text/html"},{"fault":"unsuccessful"}]
                """#
            )
            let page = try await refresh(served)
            #expect(page.status == 403 && page.headers["content-type"] == "text/html")
            #expect(page.headers["date"] == nil, "the page is not the backend's")
            #expect(String(bytes: try await refresh(served).body, encoding: .utf8) == nil)
            let half = try await refresh(served)
            #expect(half.text.hasPrefix(#"{"access_token":"#) && half.fields.isEmpty)
            #expect(try await refresh(served).body.isEmpty)
            let mislabelled = try await refresh(served)
            #expect(mislabelled.headers["content-type"] == "text/html" && !mislabelled.fields.isEmpty)
            #expect(try await refresh(served).fields["success"] as? Bool == false)
        }
    }

    @Test func `a redirect leads to a second port, which counts requests that carry a token`() async throws {
        try await ServedBackend.live("creatist") { served in
            try await served.control("faults", #"{"fault":"redirect","at":"api","times":null}"#)
            let access = served.backend.signIn().accessToken
            let answer = try await served.send("GET", "/items?page=2", bearer: access)
            #expect(answer.status == 307)
            let location = try #require(answer.headers["location"])
            #expect(location.hasSuffix("/items?page=2") && !location.hasPrefix(served.url))
            #expect(try await served.send("GET", "", base: location).text == #"{"elsewhere":true}"#)
            #expect(try await served.send("GET", "", bearer: access, base: location).status == 200)
            // By whatever name it is called.
            let other = location.replacing("/items?page=2", with: "").replacing("127.0.0.1", with: "localhost")
            let control = try await served.send("GET", "/__backend/counts", base: other)
            #expect(control.text == #"{"elsewhere":true}"#, "the other origin controls nothing")
            let counts = try await served.counts()
            #expect(counts["strays"] as? Int == 3 && counts["strays_with_token"] as? Int == 1)
            #expect(counts["requests"] as? Int == 1)
        }
    }

    @Test func `a held response is sent when it is released`() async throws {
        try await ServedBackend.live("creatist") { served in
            try await served.control("faults", #"{"fault":"held","at":"api"}"#)
            let access = served.backend.signIn().accessToken
            async let answer = served.send("GET", "/items", bearer: access)
            _ = await served.backend.heldRequests.first { _ in true }
            #expect(try await served.counts()["requests"] as? Int == 1)
            try await served.control("release", "")
            #expect(try await answer.status == 200)
        }
    }

    @Test func `a held response does not prevent a fake backend from stopping`() async throws {
        let client = ServedClient()
        try await ServedBackend.live("creatist") { served in
            try await served.control("faults", #"{"fault":"held","at":"api","times":null}"#)
            client.start { try await served.send("GET", "/items").status }
            _ = await served.backend.heldRequests.first { _ in true }
        }
        #expect(try await client.outcome() == 401)
    }

    @Test func `pending faults can be listed and deleted`() async throws {
        try await ServedBackend.live("bitbasel") { served in
            try await served.control("faults", #"{"fault":"status","at":"/posts/*","times":2}"#)
            #expect(try await served.send("GET", "/posts/feed").status == 500)
            let rest = try await served.send("GET", "/__backend/faults")
            let steps = try #require(try JSONSerialization.jsonObject(with: rest.body) as? [[String: Any]])
            #expect(steps.count == 1 && steps[0]["times"] as? Int == 1)
            #expect(try await served.send("DELETE", "/__backend/faults").status == 200)
            #expect(try await served.send("GET", "/posts/feed").status == 401)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import Testing

@Suite struct `Fault scripts in JSON` {
    @Test func `a fault script decodes to the value that was encoded`() throws {
        let script: FaultScript = [
            .init(.requestLost), .init(.replyLost, at: .api, times: 3), .init(.status(500), at: "/x/*", times: nil),
            .init(.status(429, retryAfter: 5, acts: true)), .init(.html(status: 502)), .init(.garbage),
            .init(.truncated), .init(.empty), .init(.mislabelled(as: "text/html")), .init(.unsuccessful),
            .init(.redirect()), .init(.redirect(to: "https://a.example")), .init(.held, at: .login),
            .init(.answer(status: 302, headers: ["Location": "https://a.example"], body: "moved")),
        ]
        let written = try JSONEncoder().encode(script)
        #expect(try JSONDecoder().decode(FaultScript.self, from: written) == script)
    }

    @Test(arguments: [
        (#"{"fault":"reply_lost"}"#, FaultScript.Step(.replyLost)),
        (#"[{"fault":"status","at":"api","times":null}]"#, .init(.status(500), at: .api, times: nil)),
        (
            #"{"fault":"status","status":503,"retry_after":9,"at":"/items","times":2}"#,
            .init(.status(503, retryAfter: 9), at: "/items", times: 2)
        ),
        (#"{"fault":"html"}"#, .init(.html())), (#"{"fault":"mislabelled"}"#, .init(.mislabelled())),
        (#"{"fault":"answer"}"#, .init(.answer(status: 200, headers: [:], body: ""))),
    ])
    func `missing fields of a fault step have default values`(json: String, step: FaultScript.Step) throws {
        #expect(try JSONDecoder().decode(FaultScript.self, from: Data(json.utf8)) == [step])
    }

    @Test(arguments: [
        #"{"fault":"reply-lost"}"#, #"{"fault":"status","statsu":503}"#, #"{"fault":"status","status":99}"#,
        #"{"fault":"held","at":"refersh"}"#, #"{"at":"api"}"#, "[1]", #""held""#,
    ])
    func `a fault script with a mistake is a decoding error`(json: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(FaultScript.self, from: Data(json.utf8)) }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import Testing

@Suite struct `Doubles in JSON` {
    @Test func `a script is read as it was written`() throws {
        let script: FaultScript = [
            .init(.requestLost), .init(.replyLost, at: .api, times: 3), .init(.status(500), at: "/x/*", times: nil),
            .init(.status(429, retryAfter: 5, acts: true)), .init(.html(status: 502)), .init(.garbage),
            .init(.truncated), .init(.empty), .init(.mislabelled(as: "text/html")), .init(.unsuccessful),
            .init(.redirect()), .init(.redirect(to: "https://a.example")), .init(.held, at: .login),
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
    ])
    func `what a step leaves out is the usual`(json: String, step: FaultScript.Step) throws {
        #expect(try JSONDecoder().decode(FaultScript.self, from: Data(json.utf8)) == [step])
    }

    @Test(arguments: [
        #"{"fault":"reply-lost"}"#, #"{"fault":"status","statsu":503}"#, #"{"fault":"status","status":99}"#,
        #"{"fault":"held","at":"refersh"}"#, #"{"at":"api"}"#, "[1]", #""held""#,
    ])
    func `a script with a mistake is none`(json: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(FaultScript.self, from: Data(json.utf8)) }
    }

    @Test func `settings are read as they were written, and lifetimes are seconds`() throws {
        for app in AppBackend.App.allCases {
            var settings = BackendSettings(for: app)
            settings.clockSkew = .milliseconds(-1500)
            settings.casing = .camel
            let written = try JSONEncoder().encode(settings)
            #expect(try JSONDecoder().decode(BackendSettings.self, from: written) == settings)
        }
        let written = try JSONEncoder().encode(BackendSettings(for: .bitbasel))
        let fields = try #require(try JSONSerialization.jsonObject(with: written) as? [String: Any])
        #expect(fields["access_lifetime"] as? Double == 1800 && fields["rotates"] as? Bool == false)
    }

    @Test(arguments: [
        ("access_lifetime", 0 as any Encodable & Sendable), ("refresh_lifetime", 1e300), ("clock_skew", -1e300),
        ("refusal_status", 200), ("casing", "kebab"), ("acces_lifetime", 10),
    ])
    func `settings with a mistake are none`(key: String, value: any Encodable & Sendable) throws {
        let written = try JSONEncoder().encode(BackendSettings(for: .bitbasel))
        var fields = try #require(try JSONSerialization.jsonObject(with: written) as? [String: Any])
        fields[key] = value
        let changed = try JSONSerialization.data(withJSONObject: fields)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(BackendSettings.self, from: changed) }
    }
}

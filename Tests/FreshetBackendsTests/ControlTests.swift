// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Control of a double` {
    @Test func `a control request sets or steps the fake backend's clock`() async throws {
        try await ServedBackend.live("creatist") { served in
            let access = served.backend.signIn().accessToken
            try await served.control("clock", #"{"skew":-3600}"#)
            let start = Date(timeIntervalSinceNow: -3_601)
            let answer = try await served.send("GET", "/items", bearer: access)
            let date = try #require(answer.headers["date"])
            let told = try #require(try? Date(date, strategy: Self.format))
            #expect((start...Date(timeIntervalSinceNow: -3_600)).contains(told), "the date is that of the double")
            #expect(answer.status == 200)
            try await served.control("clock", #"{"step":3000}"#)
            #expect(served.backend.settings.clockSkew == .seconds(-600))
            try await served.control("clock", #"{"step":1500}"#)
            #expect(try await served.send("GET", "/items", bearer: access).status == 401, "15 minutes have passed")
        }
    }

    private static let format = Date.ParseStrategy(
        format: """
            \(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .defaultDigits) \
            \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) GMT
            """,
        locale: Locale(identifier: "en_US_POSIX"),
        timeZone: .gmt
    )

    @Test func `a control request revokes access tokens, refresh tokens or all tokens`() async throws {
        try await ServedBackend.live("creatist") { served in
            let grant = served.backend.signIn()
            let refresh = #"{"refresh_token":"\#(grant.refreshToken ?? "")"}"#
            try await served.control("revoke", #"{"tokens":"access"}"#)
            #expect(try await served.send("GET", "/items", bearer: grant.accessToken).status == 401)
            let next = try await served.send("POST", "/auth/refresh", refresh)
            try await served.control("revoke", #"{"tokens":"refresh"}"#)
            let dead = #"{"refresh_token":"\#(try next.text("refresh_token"))"}"#
            #expect(try await served.send("POST", "/auth/refresh", dead).status == 401)
            #expect(try await served.send("GET", "/items", bearer: next.text("access_token")).status == 200)
            let report = try await served.control("revoke", #"{"tokens":"all"}"#)
            #expect(report.fields["live_sessions"] as? Int == 0)
            #expect(try await served.send("GET", "/items", bearer: next.text("access_token")).status == 401)
        }
    }

    @Test func `a control request changes only the settings that it contains`() async throws {
        try await ServedBackend.live("bitbasel") { served in
            let answer = try await served.control("settings", #"{"rotates":true,"access_lifetime":10}"#)
            #expect(answer.fields["access_lifetime"] as? Double == 10)
            #expect(served.backend.settings.rotates && served.backend.settings.accessLifetime == .seconds(10))
            #expect(served.backend.settings.refreshLifetime == .seconds(7 * 86_400))
            #expect(try await served.send("GET", "/__backend/settings").fields["rotates"] as? Bool == true)
        }
    }

    @Test func `the counts report contains token numbers but no tokens`() async throws {
        try await ServedBackend.live("outbox") { served in
            let grant = served.backend.signIn()
            _ = try await served.send("GET", "/api/v1/messages?x=\(grant.accessToken)", bearer: grant.accessToken)
            _ = try await served.send(
                "POST",
                "/api/v1/auth/refresh",
                #"{"refresh_token":"\#(grant.refreshToken ?? "")"}"#
            )
            let report = try await served.send("GET", "/__backend/counts")
            #expect(report.text.contains("access-1") && report.text.contains("refresh-1"))
            #expect(!report.text.contains(grant.accessToken) && !report.text.contains(grant.refreshToken ?? "rt_"))
            #expect(report.fields["live_sessions"] as? Int == 1 && report.fields["app"] as? String == "outbox")
        }
    }

    @Test(arguments: [
        ("POST", "faults", #"{"fault":"lost"}"#, 400, "there is no fault"),
        ("POST", "faults", #"{"fault":"held","time":2}"#, 400, #"\"time\" means nothing here"#),
        ("POST", "settings", #"{"rotate":true}"#, 400, #"\"rotate\" means nothing here"#),
        ("POST", "settings", "[]", 400, "the settings must be a JSON object"),
        ("POST", "settings", #"{"access_lifetime":1e300}"#, 400, "at most a century"),
        ("POST", "clock", #"{"skew":1e300}"#, 400, "at most a century"),
        ("POST", "clock", "{}", 400, "skew or step"),
        ("POST", "clock", #"{"skew":1,"step":1}"#, 400, "skew or step"),
        ("POST", "revoke", #"{"tokens":"some"}"#, 400, "tokens"),
        ("POST", "revoke", "{}", 400, #"\"tokens\" is missing"#),
        ("GET", "revoke", "", 405, "other methods"),
        ("POST", "count", "", 404, "counts, faults"),
    ])
    func `an invalid control request is refused with the reason`(
        method: String,
        path: String,
        json: String,
        status: Int,
        message: String
    ) async throws {
        try await ServedBackend.live("bitbasel") { served in
            let settings = served.backend.settings
            let answer = try await served.send(method, "/__backend/\(path)", json.isEmpty ? nil : json)
            #expect(answer.status == status && answer.text.contains(message), "\(answer.text)")
            #expect(served.backend.settings == settings && served.backend.script.isEmpty)
            #expect(served.backend.exchanges.isEmpty, "control is not traffic")
        }
    }
}

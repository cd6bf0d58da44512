// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetTesting
import Testing

@Suite struct `Doubles in JSON` {
    @Test func `backend settings are decoded as they were encoded, with lifetimes in seconds`() throws {
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
    func `backend settings with an invalid value or an unknown key are refused`(
        key: String,
        value: any Encodable & Sendable
    ) throws {
        let written = try JSONEncoder().encode(BackendSettings(for: .bitbasel))
        var fields = try #require(try JSONSerialization.jsonObject(with: written) as? [String: Any])
        fields[key] = value
        let changed = try JSONSerialization.data(withJSONObject: fields)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(BackendSettings.self, from: changed) }
    }
}

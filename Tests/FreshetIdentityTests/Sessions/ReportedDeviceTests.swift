// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
import FreshetEngine
import FreshetWire
import Testing

@testable import FreshetIdentity

@Suite struct `A mail about a new device` {
    @Test func `a mail about a new device contains the client's text only if the address is verified`() throws {
        let device = Device(name: "Account locked, confirm at evil.example", platform: "iOS")
        let email = try #require(EmailAddress("ann@example.com"))
        var user = User(id: .random(), email: email)
        #expect(device.reported(to: user) == Device())
        user.isEmailVerified = true
        #expect(device.reported(to: user) == device)
        // Apple verifies the addresses of its accounts.
        #expect(device.reported(to: User(id: .random())) == device)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import FreshetJWT

@Suite struct `A request to an issuer` {
    @Test(arguments: [
        ("https://auth.example.com", true), ("https://auth.example.com:8443/keys?a=b", true),
        ("http://localhost/keys", true), ("http://127.0.0.1:8080", true), ("http://[::1]:8080/keys", true),
        // HTTP clients connect to the decoded name.
        ("http://localhos%74/keys", true), ("http://localhost%2E.example.com/keys", false),
        ("http://auth.example.com", false), ("http://127.0.0.1.example.com", false), ("http://[::2]/keys", false),
        ("https://ann@auth.example.com", false), ("https://:secret@auth.example.com", false),
        ("https://ann:secret@auth.example.com", false), ("http://localhost@auth.example.com", false),
        ("https:///keys", false), ("https://:8443/keys", false), ("https:keys", false), ("//localhost/keys", false),
        ("/keys", false), ("ftp://localhost/keys", false), ("file:///keys", false),
    ])
    func `an issuer's URL is safe only with HTTPS or a loopback host, and without user info`(
        address: String,
        isSafe: Bool
    ) throws {
        #expect(IssuerRequest.isSafe(try #require(URL(string: address))) == isSafe)
    }

    @Test func `a request to an issuer has a limit of ten seconds and 262,144 response bytes by default`() throws {
        let request = IssuerRequest(url: try #require(URL(string: "https://auth.example.com")))
        #expect(request.timeout == .seconds(10))
        #expect(request.maximumLength == 262_144)
    }
}

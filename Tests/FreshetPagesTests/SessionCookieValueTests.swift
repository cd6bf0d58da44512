// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import FreshetPages

@Suite struct `A page's secret` {
    @Test func `a session cookie value is printed masked, can be parsed from its text, and has a 32-byte digest`()
        throws
    {
        let secret = SessionCookieValue.random()
        #expect("\(secret)" == "page secret •••")
        #expect(SessionCookieValue(secret.text) == secret)
        #expect(secret.digest.count == 32)
        #expect(secret.digest != Data(secret.text.utf8))
        #expect(SessionCookieValue(secret.text + "A") == nil)
        #expect(SessionCookieValue("") == nil)
    }

    @Test func `a session's form token is accepted by no other session`() {
        let (secret, other) = (SessionCookieValue.random(), SessionCookieValue.random())
        #expect(secret.accepts(secret.formToken))
        #expect(!other.accepts(secret.formToken))
        for formToken in ["", "x", String(secret.formToken.dropLast()), secret.text] {
            #expect(!secret.accepts(formToken))
        }
        #expect(secret.intent != other.intent)
        #expect(secret.intent != nil)
    }
}

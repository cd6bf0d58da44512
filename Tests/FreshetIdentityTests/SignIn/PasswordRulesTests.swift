// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import Testing

@testable import FreshetIdentity

@Suite struct `Rules for passwords` {
    /// NIST SP 800-63B section 5.1.1.2 counts code points.
    @Test func `a password has at least eight code points`() throws {
        let rules = PasswordRules()
        try rules.check("a\u{301}e\u{301}o\u{301}u\u{301}", of: nil)
        #expect(throws: APIError.self) { try rules.check("a\u{301}e\u{301}o\u{301}u", of: nil) }
        try rules.check("नमस्तेजी", of: nil)
    }
}

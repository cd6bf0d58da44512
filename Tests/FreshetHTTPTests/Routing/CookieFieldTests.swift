// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetHTTP

@Suite struct `The Cookie field` {
    @Test(
        arguments: [
            (["a=1; sid=x"], "x"), (["sid=x; sid=y"], "x"), (["a=1", "sid= x\t"], "x"), (["sid=a=b"], "a=b"),
            // A cookie of a longer path comes first; a server that deletes it leaves it empty for a while.
            (["sid=; sid=x"], "x"), (["sid=", "sid=x"], "x"), (["sid= ;sid=x"], "x"),
            (["sid="], nil), (["sid"], nil), (["Sid=x"], nil), (["sid\u{301}=x"], nil), (["xsid=x; sid;=x"], nil),
            ([], nil),
            // A combining mark is no part of the semicolon in front of it.
            (["a=1;\u{301}sid=x; sid=y"], "y"),
        ] as [([String], String?)]
    )
    func `the first cookie of a name that is not empty is found`(fields: [String], value: String?) {
        #expect(CookieField.value(of: "sid", in: fields) == value)
    }
}

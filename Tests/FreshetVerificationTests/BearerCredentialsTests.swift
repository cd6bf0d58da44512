// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetJWT

@Suite struct `Bearer credentials` {
    @Test(
        arguments: [
            ([], .absent), ([""], .absent), (["Bearer"], .absent), (["Bearer "], .absent), (["Basic YTpi"], .absent),
            (["Bearerabc"], .absent), (["Bearer abc"], .token("abc")), (["BEARER abc"], .token("abc")),
            // A text that is no token must fail as one, instead of being a request without credentials.
            (["Bearer abc def"], .token("abc def")), (["Bearer abc def ghi"], .token("abc def ghi")),
            (["Bearer abc", "Basic YTpi"], .misplaced), (["", ""], .misplaced),
        ] as [([String], BearerCredentials)]
    )
    func `bearer credentials are the text after the scheme of the only Authorization field`(
        values: [String],
        credentials: BearerCredentials
    ) {
        #expect(BearerCredentials(authorization: values) == credentials)
    }

    @Test(
        arguments: [
            ("access_token=abc", .misplaced), ("a=1&access_token=", .misplaced), ("access_token", .misplaced),
            ("access_token=\u{301}", .misplaced), ("a\u{600}&access_token=abc", .misplaced),
            ("a=access_token", .absent), ("access_tokens=abc", .absent), ("&&", .absent),
        ] as [(Substring, BearerCredentials)]
    )
    func `an access token in the query is reported as misplaced credentials`(
        query: Substring,
        credentials: BearerCredentials
    ) {
        #expect(BearerCredentials(authorization: [], query: query) == credentials)
        #expect(
            BearerCredentials(authorization: ["Bearer abc"], query: query)
                == (credentials == .misplaced ? .misplaced : .token("abc"))
        )
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetContract

@Suite struct `Pretty-printed JSON` {
    @Test func `a JSON value that fits on one line is written on one line`() throws {
        let text = #"{"a":1,"b":{"c":[1,2],"d":{}},"e":["a long text","and another one"],"f":[],"g":"x"}"#
        #expect(
            try JSONParser.parse(text.utf8).prettyPrinted(width: 34) == """
                {
                  "a": 1,
                  "b": { "c": [1, 2], "d": {} },
                  "e": [
                    "a long text",
                    "and another one"
                  ],
                  "f": [],
                  "g": "x"
                }
                """
        )
    }

    @Test(arguments: [
        "[]", "{}", "\"a\"", "[[[[]]]]", #"{"a":{"b":{"c":"ddddddddddddddddddddddddd"}}}"#, #"["\u0000\u2028"]"#,
    ])
    func `pretty-printed JSON has the same value at every width`(text: String) throws {
        let value = try JSONParser.parse(text.utf8)
        for width in [1, 20, 200] { #expect(try JSONParser.parse(value.prettyPrinted(width: width).utf8) == value) }
    }
}

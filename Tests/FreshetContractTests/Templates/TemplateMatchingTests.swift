// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetContract

@Suite struct `Template matching` {
    @Test(
        arguments: [
            ("", "", [:]), ("plain", "PLAIN", [:]), ("$a", "x y", ["a": "x y"]),
            ("Bearer $a", "bearer abc.def", ["a": "abc.def"]),
            ("Bearer $a", "Bearer a Bearer b", ["a": "a Bearer b"]), ("$a:$b", "u:p:q", ["a": "u", "b": "p:q"]),
            ("/s/$a/x", "/s/7/x", ["a": "7"]), ("/s/$a/x", "/s/1/x/x", ["a": "1/x"]),
            ("$a AND $b", "x and y", ["a": "x", "b": "y"]),
            ("$a-$a", "x-x", ["a": "x"]), ("$$$a", "$x", ["a": "x"]), ("${a}é", "xé", ["a": "x"]),
            ("$a,$b.", "1,2.3.", ["a": "1", "b": "2.3"]),
            ("$a-", "--", ["a": "-"]), ("t=$a", "T=\u{301}x", ["a": "\u{301}x"]),
        ] as [(String, String, [String: String])]
    )
    func `a template extracts the values of its variables from a matching text`(
        template: String,
        text: String,
        values: [String: String]
    ) throws {
        #expect(try Template(template).values(in: text) == values)
    }

    @Test(
        arguments: [
            ("", "x"), ("plain", "plai"), ("plain", "plains"), ("$a", ""), ("Bearer $a", "Bearer "),
            ("Bearer $a", "Basic x"),
            ("$a:$b", "up"), ("$a:$b", ":p"), ("$a:$b", "u:"), ("/s/$a/x", "/s/7"), ("/s/$a/x", "/s//x"),
            ("$a-$a", "x-y"),
            ("$a$b", "xy"), ("É$a", "éx"), ("$a.", "."),
        ]
    )
    func `a template extracts no values from a text that does not match`(template: String, text: String) throws {
        #expect(try Template(template).values(in: text) == nil)
    }

    @Test(arguments: ["/u/${a}/v/${b}", "$a=$b;", "x${a}xx${b}xxx", "${a}\u{301}${b}"])
    func `a template extracts the values that it was filled with`(text: String) throws {
        let template = try Template(text)
        let values = ["a": "1", "b": "2 3"]
        let filled = try #require(try template.text(TemplateValues(values.mapValues(JSONValue.string))))
        #expect(template.values(in: filled) == values)
    }
}

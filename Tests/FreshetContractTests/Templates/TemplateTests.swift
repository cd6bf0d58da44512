// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetContract

@Suite struct `Templates` {
    private static let values = TemplateValues([
        "a": .string("x"), "b": .string("y z"), "n": .number(JSONNumber(7)), "empty": .string(""), "no": .null,
        "device": .object(JSONObject([.init("name", .string("Mac"))])), "yes": .bool(true), "list": .array([.null]),
    ])

    @Test(
        arguments: [
            ("", []), ("plain", [.text("plain")]), ("$a", [.value("a")]), ("${a}", [.value("a")]),
            ("$a$b", [.value("a"), .value("b")]),
            ("Bearer $a", [.text("Bearer "), .value("a")]), ("${a}b", [.value("a"), .text("b")]),
            ("$ab", [.value("ab")]),
            ("$a-b", [.value("a"), .text("-b")]), ("$_1", [.value("_1")]), ("$$", [.text("$")]), ("$$a", [.text("$a")]),
            ("$$$a", [.text("$"), .value("a")]), ("a$$b$$", [.text("a$b$")]),
            ("{$a}", [.text("{"), .value("a"), .text("}")]),
            ("$a\u{301}", [.value("a"), .text("\u{301}")]), ("$aé", [.value("a"), .text("é")]),
        ] as [(String, [Template.Part])]
    )
    func `a template is parsed into texts and variables`(text: String, parts: [Template.Part]) throws {
        #expect(try Template(text).parts == parts)
        #expect(try Template(Template(text).description).parts == parts)
    }

    @Test(
        arguments: [
            ("$", "a name follows '$'; '$$' is a dollar sign"), ("a$", "a name follows '$'; '$$' is a dollar sign"),
            ("$ a", "a name follows '$'; '$$' is a dollar sign"), ("$-", "a name follows '$'; '$$' is a dollar sign"),
            ("${}", "a name follows '$'; '$$' is a dollar sign"), ("$é", "a name follows '$'; '$$' is a dollar sign"),
            ("$\u{301}", "a name follows '$'; '$$' is a dollar sign"),
            ("$$$", "a name follows '$'; '$$' is a dollar sign"),
            ("${a", "'${a' lacks its '}'"), ("${a b}", "'${a' lacks its '}'"), ("${a$b}", "'${a' lacks its '}'"),
        ]
    )
    func `an invalid template is rejected with the reason`(text: String, sentence: String) {
        #expect(throws: Template.Fault(sentence: sentence)) { try Template(text) }
    }

    @Test(
        arguments: [
            ("", ""), ("plain", "plain"), ("$a", "x"), ("Bearer $a", "Bearer x"), ("$a:$b", "x:y z"), ("$n", "7"),
            ("n=$n", "n=7"), ("$$a", "$a"),
        ]
    )
    func `a template inserts the values of its variables`(text: String, result: String) throws {
        #expect(try Template(text).text(Self.values) == result)
    }

    @Test(arguments: ["$missing", "$empty", "$no", "$device", "$yes", "$list"])
    func `a template that is a single variable without a text value has no result`(text: String) throws {
        #expect(try Template(text).text(Self.values) == nil)
    }

    @Test(arguments: ["missing", "empty", "no", "device", "yes"])
    func `a variable without a text value within a longer template is an error`(name: String) throws {
        let template = try Template("Bearer $\(name)")
        #expect(throws: MissingValue(name: name)) { try template.text(Self.values) }
    }

    @Test func `a template escapes inserted values and not its own text`() throws {
        let escape: (String) -> String = { "<\($0)>" }
        #expect(try Template("/a b/$a/$b").text(Self.values, escape: escape) == "/a b/<x>/<y z>")
        #expect(try Template("$a").text(Self.values, escape: escape) == "<x>")
    }

    @Test func `templates list the names of their variables`() throws {
        #expect(try Template("$b-$a-$b").names == ["b", "a", "b"])
        #expect(try Template("$a").soleName == "a")
        #expect(try Template("$a ").soleName == nil)
        #expect(try Template("$$a").soleName == nil)
        #expect(try Template("").soleName == nil)
    }

    @Test func `merged template values contain the later of two values with the same name`() {
        let merged = Self.values.merging(TemplateValues(texts: ["a": "new", "b": nil, "c": "z"]))
        #expect(merged["a"] == .string("new"))
        #expect(merged["b"] == .string("y z"))
        #expect(merged["c"] == .string("z"))
    }
}

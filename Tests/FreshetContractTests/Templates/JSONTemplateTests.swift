// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetContract

@Suite struct `JSON templates` {
    private static let values = TemplateValues([
        "token": .string("abc"), "n": .number(JSONNumber(7)),
        "device": .object(JSONObject([.init("os", .string("x"))])), "flag": .bool(false),
        "nothing": .null,
    ])

    private func template(_ text: String) throws -> JSONTemplate {
        let log = DecodingCursor.Log()
        log.vocabulary = .anything
        let cursor = DecodingCursor(value: try JSONParser.parse(text.utf8), path: "$", log: log)
        return try #require(cursor.jsonTemplate())
    }

    @Test(
        arguments: [
            (#"{"a":"$token","b":1,"c":null,"d":[true,"x"]}"#, #"{"a":"abc","b":1,"c":null,"d":[true,"x"]}"#),
            (#"{"a":"$n","b":"n$n"}"#, #"{"a":7,"b":"n7"}"#),
            (#"{"a":"$device","b":"$flag"}"#, #"{"a":{"os":"x"},"b":false}"#),
            (#"{"a":"$nothing"}"#, #"{"a":null}"#), (#"{"$token":"$$token"}"#, #"{"$token":"$token"}"#),
            (#"{"a":"$gone","b":["$gone",1,{"c":"$gone"}]}"#, #"{"b":[1,{}]}"#), (#"["$gone"]"#, "[]"),
            (#""$token""#, #""abc""#),
            (#""""#, #""""#), ("{}", "{}"),
        ]
    )
    func `a JSON template inserts values with their types and omits missing ones`(text: String, result: String) throws {
        #expect(try template(text).value(Self.values)?.jsonText == result)
    }

    @Test func `a JSON template that is a single missing variable has no value`() throws {
        #expect(try template(#""$gone""#).value(Self.values) == nil)
    }

    @Test func `a missing value within a text of a JSON template is an error`() throws {
        let template = try template(#"{"a":["Bearer $gone"]}"#)
        #expect(throws: MissingValue(name: "gone")) { try template.value(Self.values) }
    }

    @Test func `JSON templates list the names of their variables`() throws {
        #expect(try template(#"{"a":"$b","c":["x$d",1,{"e":"$b"}]}"#).names == ["b", "d", "b"])
    }

    @Test func `a JSON template extracts its values from the JSON that it produced`() throws {
        let text = #"{"grant":"refresh","t":"$token","who":"user-$n","device":"$device","l":["$flag","x"]}"#
        let template = try template(text)
        let filled = try #require(try template.value(Self.values))
        let found = template.values(in: filled)
        for name in ["token", "device", "flag"] { #expect(found[name] == Self.values[name]) }
        #expect(found["n"] == .string("7"))
    }

    @Test func `a JSON template extracts the values that are present and ignores the rest`() throws {
        let template = try template(#"{"a":{"t":"$token"},"b":["$n"],"c":"user-$user","d":"$d"}"#)
        let found = template.values(in: try JSONParser.parse(#"{"a":"x","b":{},"c":"guest-7","d":[1],"e":1}"#.utf8))
        #expect(found == TemplateValues(["d": .array([.number(JSONNumber(1))])]))
        #expect(template.values(in: .null) == TemplateValues())
    }
}

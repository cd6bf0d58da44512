// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetContract

@Suite struct `Reading JSON` {
    private func object(_ members: (String, JSONValue)...) -> JSONValue {
        .object(JSONObject(members.map { .init($0, $1) }))
    }

    private func number(_ text: String) throws -> JSONValue { .number(try #require(JSONNumber(text))) }

    @Test(
        arguments: [
            ("null", .null), ("true", .bool(true)), (" \t\r\nfalse \n", .bool(false)), ("\"\"", .string("")),
            ("[]", .array([])),
            ("[ ]", .array([])), ("{}", .object(JSONObject())), ("{ }", .object(JSONObject())),
            ("[null,[true]]", .array([.null, .array([.bool(true)])])), ("\"a/b\\/c\"", .string("a/b/c")),
            ("\"\u{7F}\"", .string("\u{7F}")), ("\"\u{2028}é😀\"", .string("\u{2028}é😀")),
        ] as [(String, JSONValue)]
    )
    func `the JSON parser reads every kind of value`(text: String, value: JSONValue) throws {
        #expect(try JSONParser.parse(text.utf8) == value)
    }

    @Test func `the JSON parser keeps the order of members and ignores white space`() throws {
        let value = try JSONParser.parse(" { \"b\" : 1 ,\n\t\"a\" : [ 2 , { } ] } ".utf8)
        #expect(value == object(("b", try number("1")), ("a", .array([try number("2"), object()]))))
        #expect(value.object?.names == ["b", "a"])
    }

    @Test(arguments: [
        "0", "-0", "7", "-7", "10", "0.5", "-0.25", "1e3", "1E3", "1e+3", "1e-3", "0e0", "12.5e10",
        "123456789012345678901234567890", "1e999",
    ])
    func `the JSON parser keeps the text of every number`(text: String) throws {
        #expect(try JSONParser.parse(text.utf8) == number(text))
        #expect(try JSONParser.parse("[\(text)]".utf8) == .array([number(text)]))
        #expect(try JSONParser.parse(text.utf8).jsonText == text)
    }

    @Test(arguments: [
        "+1", "01", "-01", "-", "--1", "1.", ".5", "1.e3", "1e", "1e+", "1e1.5", "0x10", "1_000", "1,5", "Infinity",
        "-Infinity",
        "NaN", "١", "1a", "1 2",
    ])
    func `the JSON parser rejects invalid numbers`(text: String) {
        #expect(throws: JSONParser.Fault.self) { try JSONParser.parse(text.utf8) }
        #expect(JSONNumber(text) == nil)
    }

    @Test(
        arguments: [
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u00E9\u20ac""#, "Aéé€"),
            (#""a\u0000b""#, "a\0b"), (#""\ud83d\ude00""#, "😀"), (#""\uD834\uDD1E!""#, "𝄞!"),
            (#""\udbff\udfff""#, "\u{10FFFF}"),
            (#""\\u0041""#, "\\u0041"), (#""e\u0301""#, "e\u{301}"), (#""\ufeff""#, "\u{FEFF}"),
        ]
    )
    func `the JSON parser resolves escape sequences in strings`(text: String, value: String) throws {
        let read = try #require(try JSONParser.parse(text.utf8).string)
        #expect(Array(read.unicodeScalars) == Array(value.unicodeScalars))
    }

    @Test(
        arguments: [
            (#""\ud83d""#, "\u{FFFD}"), (#""\ude00""#, "\u{FFFD}"), (#""\ud83dx""#, "\u{FFFD}x"),
            (#""\ud83d\n""#, "\u{FFFD}\n"),
            (#""\ud83d\u0041""#, "\u{FFFD}A"), (#""\ud83d\ud83d\ude00""#, "\u{FFFD}😀"),
            (#""\ude00\ud83d""#, "\u{FFFD}\u{FFFD}"),
        ]
    )
    func `the JSON parser reads an unpaired surrogate as the replacement character`(text: String, value: String) throws
    {
        #expect(try JSONParser.parse(text.utf8) == .string(value))
    }

    @Test(arguments: [
        "", " ", "nul", "nullx", "True", "TRUE", "'a'", "a", "\"", "\"a", "\"\\", "\"\\\"", "\"\\a\"", "\"\\u\"",
        "\"\\u12\"",
        "\"\\u12g4\"", "\"\\U0041\"", "\"\\u 123\"", "\"a\nb\"", "\"\t\"", "\"\0\"", "\"\u{1F}\"", "[", "[1", "[1,",
        "[1,]", "[,1]", "[1 2]",
        "[1}", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,}", "{a:1}", "{1:1}", "{\"a\" 1}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":1]", "]", "}", ",", ":", "[]]", "{}{}", "1 2", "null,", "//", "[1]//", "/**/1", "#", "\u{C}1",
        "\u{A0}1", "\u{FEFF}\u{FEFF}1",
    ])
    func `the JSON parser rejects invalid JSON`(text: String) {
        #expect(throws: JSONParser.Fault.self) { try JSONParser.parse(text.utf8) }
    }

    @Test(arguments: [
        [0xFF], [0xC3], [0xC3, 0x28], [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
        [0x80],
        [0xF8, 0x88, 0x80, 0x80, 0x80],
    ])
    func `the JSON parser rejects invalid UTF-8`(bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        #expect(throws: JSONParser.Fault.self) { try JSONParser.parse([quote] + bytes + [quote]) }
        #expect(throws: JSONParser.Fault.self) { try JSONParser.parse(bytes) }
        #expect(throws: JSONParser.Fault.self) { try JSONParser.parse(Array("{\"".utf8) + bytes + Array("\":1}".utf8)) }
    }

    @Test func `an escape sequence in JSON does not complete a truncated UTF-8 sequence`() {
        let bytes = [UInt8](#"""#.utf8) + [0xC3] + Array(#"\u00a9""#.utf8)
        #expect(throws: JSONParser.Fault.self) { try JSONParser.parse(bytes) }
    }

    @Test func `the JSON parser ignores one UTF-8 byte order mark`() throws {
        #expect(try JSONParser.parse([0xEF, 0xBB, 0xBF] + Array("[1]".utf8)) == .array([number("1")]))
        #expect(throws: JSONParser.Fault.self) { try JSONParser.parse([0xEF, 0xBB, 0xBF]) }
        #expect(throws: JSONParser.Fault.self) { try JSONParser.parse([0xEF, 0xBB] + Array("1".utf8)) }
        #expect(throws: JSONParser.Fault.self) { try JSONParser.parse([0xFE, 0xFF, 0, 0x31]) }
    }

    @Test(arguments: [1, 2, 63, 64])
    func `the JSON parser accepts 64 levels of nesting`(depth: Int) throws {
        let arrays = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(try JSONParser.parse(arrays.utf8).jsonText == arrays)
        let objects = String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
        #expect(try JSONParser.parse(objects.utf8).jsonText == objects)
    }

    @Test func `the JSON parser rejects 65 levels of nesting, and counts depth instead of brackets`() throws {
        let text = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
        #expect(throws: JSONParser.Fault(line: 1, column: 65, sentence: "it is nested deeper than 64 levels")) {
            try JSONParser.parse(text.utf8)
        }
        let wide = "[" + String(repeating: "[],{\"a\":[]},", count: 100) + "0]"
        #expect(try JSONParser.parse(wide.utf8).jsonText == wide)
    }

    @Test func `the JSON parser rejects a duplicate name in one object, but not in different objects`() throws {
        for text in [#"{"a":1,"a":1}"#, #"{"a":1,"b":2,"\u0061":3}"#, #"[{"x":{"":1,"":2}}]"#] {
            #expect(throws: JSONParser.Fault.self) { try JSONParser.parse(text.utf8) }
        }
        for text in [#"{"a":{"a":1},"b":{"a":1}}"#, #"{"a":1,"A":2}"#, "{\"é\":1,\"e\u{301}\":2}"] {
            #expect(try JSONParser.parse(text.utf8).jsonText == text)
        }
    }

    @Test(
        arguments: [
            ("", 1, 1, "the text ends where a value is expected"), ("[1,\n 2,\n]", 3, 1, "this is not a JSON value"),
            ("{\n\t\"a\": nul\n}", 2, 7, "this is not a JSON value"),
            ("[1] x", 1, 5, "there is something after the end of the value"),
            ("[1\r\n2]", 2, 1, "an array goes on with ',' or ends with ']'"),
            ("{\"a\":1\n\n  \"b\"", 3, 3, "an object goes on with ',' or ends with '}'"),
            ("{\"a\" 1}", 1, 6, "a name is followed by ':'"),
            ("{a", 1, 2, "a member of an object begins with its name"),
            ("\"a\nb\"", 1, 3, "a string contains a control character"),
            ("\"abc", 1, 5, "the text ends inside a string"),
            ("\"é😀\\x\"", 1, 6, "the escape is unknown"), ("\"\\u00\"", 1, 4, "four hexadecimal digits follow '\\u'"),
            ("{\"é\":1,\n\"b\":2,\"b\":3}", 2, 7, "the name 'b' is a duplicate"),
            ("\u{FEFF}[x]", 1, 2, "this is not a JSON value"),
            ("[1.]", 1, 4, "this is not a JSON value"),
        ]
    )
    func `a JSON parser fault reports the line and column of the mistake`(
        text: String,
        line: Int,
        column: Int,
        sentence: String
    ) {
        #expect(throws: JSONParser.Fault(line: line, column: column, sentence: sentence)) {
            try JSONParser.parse(text.utf8)
        }
    }

    @Test func `a JSON parser fault reports the line and column of invalid UTF-8`() {
        let fault = JSONParser.Fault(line: 2, column: 2, sentence: "this is not UTF-8")
        #expect(throws: fault) { try JSONParser.parse(Array("[\n\"".utf8) + [0xFF] + Array("\"]".utf8)) }
        #expect(fault.description == "line 2, column 2: this is not UTF-8")
    }
}

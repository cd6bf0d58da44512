// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetContract

@Suite struct `JSON values` {
    @Test func `a JSON value is equal after it is written and parsed`() throws {
        var text = ""
        for value in UInt32(0)...0x250 { if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) } }
        text += "\u{2028}\u{2029}\u{FFFD}\u{FEFF}\u{10FFFF}e\u{301}😀"
        let value = JSONValue.object(
            JSONObject([
                .init(
                    text,
                    .array([.string(text), .null, .bool(true), .bool(false), .object(JSONObject()), .array([])])
                ),
                .init("", .number(JSONNumber(-7))),
            ])
        )
        let again = try JSONParser.parse(value.jsonText.utf8)
        #expect(again == value)
        #expect(again.object?.names.first?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
    }

    @Test func `a JSON value is written without white space and with escaped control characters`() {
        let value = JSONValue.array([.string("a\"\\/\n\r\t\u{8}\u{1F}\u{0}é"), .number(JSONNumber(1.5))])
        #expect(value.jsonText == #"["a\"\\/\n\r\t\u0008\u001f\u0000é",1.5]"#)
    }

    @Test(
        arguments: [
            (0, "0"), (-0.0, "0"), (1, "1"), (-3, "-3"), (0.5, "0.5"), (1e15, "1000000000000000"), (1e300, "1e+300"),
            (.leastNonzeroMagnitude, "5e-324"),
            (.infinity, "1.7976931348623157e+308"), (-.infinity, "-1.7976931348623157e+308"), (.nan, "0"),
        ] as [(Double, String)]
    )
    func `every Double becomes a valid JSON number, even infinity and NaN`(number: Double, text: String) throws {
        #expect(JSONNumber(number).text == text)
        #expect(try JSONParser.parse(text.utf8) == .number(JSONNumber(number)))
    }

    @Test(
        arguments: [
            ("7", 7, 7), ("-0", 0, 0), ("7.0", 7, 7), ("7e2", 700, 700), ("7.5", nil, 7.5),
            ("9223372036854775807", .max, 0x1p63),
            ("9223372036854775808", nil, 0x1p63), ("9007199254740993.0", nil, 9007199254740992), ("1e999", nil, nil),
            ("1e-999", 0, 0),
        ] as [(String, Int?, Double?)]
    )
    func `a JSON number that does not fit Int or Double converts to nil`(text: String, int: Int?, double: Double?)
        throws
    {
        let number = try #require(JSONNumber(text))
        #expect(number.int == int)
        #expect(number.double == double)
    }

    @Test func `a numeric JSON string converts to a Double, and a JSON number converts to text`() {
        #expect(JSONValue.string("12").double == 12)
        #expect(JSONValue.string("12x").double == nil)
        #expect(JSONValue.string("").text == nil)
        #expect(JSONValue.number(JSONNumber(12)).text == "12")
        #expect(JSONValue.bool(true).text == nil)
        #expect(JSONValue.null.double == nil)
    }

    @Test func `a member of a JSON object is replaced, added and removed by its name`() {
        var object = JSONObject([.init("a", .null), .init("b", .bool(true))])
        object["a"] = .bool(false)
        object["c"] = .null
        object["b"] = nil
        object["d"] = nil
        #expect(object == JSONObject([.init("a", .bool(false)), .init("c", .null)]))
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

/// A strict single-pass parser for untrusted JSON, with a limit on nesting.
///
/// Foundation's parser is not used: it accepts duplicate names, loses the precision of long numbers and does not report
/// the position of an error, and this target does not depend on Foundation.
package struct JSONParser {
    /// The maximum nesting depth.
    package static let maximumDepth = 64

    /// The reason that a text is not JSON, and its place.
    package struct Fault: Error, Equatable, CustomStringConvertible {
        package var line: Int
        package var column: Int
        package var sentence: String

        package var description: String { "line \(line), column \(column): \(sentence)" }
    }

    private var scanner: JSONScanner
    /// Whether recoverable errors are rejected, too.
    private let isStrict: Bool
    private var depth = 0

    /// Parses a whole text.
    package static func parse(_ bytes: some Sequence<UInt8>) throws(Fault) -> JSONValue {
        var text = Array(bytes)[...]
        // A byte order mark is not part of JSON, but some servers send one (RFC 8259 section 8.1 lets parsers ignore
        // it).
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        return try parse(text, isStrict: false)
    }

    /// Parses a whole signed text strictly.
    ///
    /// Errors are not recovered, because another parser might recover differently.
    package static func parseStrictly(_ bytes: some Sequence<UInt8>) throws(Fault) -> JSONValue {
        try parse(Array(bytes)[...], isStrict: true)
    }

    private static func parse(_ text: ArraySlice<UInt8>, isStrict: Bool) throws(Fault) -> JSONValue {
        var reader = JSONParser(scanner: JSONScanner(text), isStrict: isStrict)
        let value = try reader.readValue()
        reader.scanner.skipSpace()
        guard reader.scanner.isAtEnd else { throw reader.fault("there is something after the end of the value") }
        return value
    }

    private mutating func readValue() throws(Fault) -> JSONValue {
        scanner.skipSpace()
        switch scanner.next {
        case UInt8(ascii: "{"): return try nested { reader throws(Fault) in .object(try reader.readObject()) }
        case UInt8(ascii: "["): return try nested { reader throws(Fault) in .array(try reader.readArray()) }
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "t") where scanner.take("true"): return .bool(true)
        case UInt8(ascii: "f") where scanner.take("false"): return .bool(false)
        case UInt8(ascii: "n") where scanner.take("null"): return .null
        case nil: throw fault("the text ends where a value is expected")
        default:
            let start = scanner.offset
            guard scanner.skipNumber() else { throw fault("this is not a JSON value") }
            return .number(JSONNumber(checked: String(decoding: scanner.slice(from: start), as: UTF8.self)))
        }
    }

    private mutating func nested(
        _ read: (inout JSONParser) throws(Fault) -> JSONValue
    ) throws(Fault) -> JSONValue {
        guard depth < Self.maximumDepth else { throw fault("it is nested deeper than \(Self.maximumDepth) levels") }
        depth += 1
        defer { depth -= 1 }
        scanner.advance()
        return try read(&self)
    }

    private mutating func readArray() throws(Fault) -> [JSONValue] {
        var items: [JSONValue] = []
        scanner.skipSpace()
        if scanner.take(UInt8(ascii: "]")) { return items }
        while true {
            items.append(try readValue())
            scanner.skipSpace()
            if scanner.take(UInt8(ascii: "]")) { return items }
            guard scanner.take(UInt8(ascii: ",")) else { throw fault("an array goes on with ',' or ends with ']'") }
        }
    }

    private mutating func readObject() throws(Fault) -> JSONObject {
        var members: [JSONObject.Member] = []
        var names: Set<ExactText> = []
        scanner.skipSpace()
        if scanner.take(UInt8(ascii: "}")) { return JSONObject() }
        while true {
            scanner.skipSpace()
            guard scanner.next == UInt8(ascii: "\"") else { throw fault("a member of an object begins with its name") }
            let start = scanner.offset
            let name = try readString()
            // Parsers differ in which of two values they use for a duplicate name.
            guard names.insert(ExactText(name)).inserted else {
                throw fault("the name '\(name.prefix(64))' is a duplicate", at: start)
            }
            scanner.skipSpace()
            guard scanner.take(UInt8(ascii: ":")) else { throw fault("a name is followed by ':'") }
            members.append(.init(name, try readValue()))
            scanner.skipSpace()
            if scanner.take(UInt8(ascii: "}")) { return JSONObject(members) }
            guard scanner.take(UInt8(ascii: ",")) else { throw fault("an object goes on with ',' or ends with '}'") }
        }
    }

    private mutating func readString() throws(Fault) -> String {
        scanner.advance()
        let start = scanner.offset
        scanner.skipPlainText()
        var text = try checked(scanner.slice(from: start))
        while !scanner.take(UInt8(ascii: "\"")) {
            guard scanner.take(UInt8(ascii: "\\")) else {
                throw fault(scanner.isAtEnd ? "the text ends inside a string" : "a string contains a control character")
            }
            text.unicodeScalars.append(try readEscape())
            let start = scanner.offset
            scanner.skipPlainText()
            text += try checked(scanner.slice(from: start))
        }
        return text
    }

    private func checked(_ bytes: ArraySlice<UInt8>) throws(Fault) -> String {
        guard let text = String(utf8: bytes) else {
            throw fault("this is not UTF-8", at: bytes.startIndex)
        }
        return text
    }

    private mutating func readEscape() throws(Fault) -> Unicode.Scalar {
        guard let letter = scanner.next else { throw fault("the text ends inside a string") }
        scanner.advance()
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(letter)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try readUnicodeEscape()
        default: throw fault("the escape is unknown")
        }
    }

    /// Parses a Unicode escape.
    ///
    /// Unless strict, it replaces a lone surrogate, so that a malformed user name does not end a session.
    private mutating func readUnicodeEscape() throws(Fault) -> Unicode.Scalar {
        guard let unit = scanner.takeHex4() else { throw fault("four hexadecimal digits follow '\\u'") }
        if let scalar = Unicode.Scalar(unit) { return scalar }
        var ahead = scanner
        guard UTF16.isLeadSurrogate(unit), ahead.take("\\u"), let trail = ahead.takeHex4(),
            UTF16.isTrailSurrogate(trail)
        else {
            guard !isStrict else { throw fault("half of a character") }
            return "\u{FFFD}"
        }
        scanner = ahead
        let code = 0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(trail) - 0xDC00)
        return Unicode.Scalar(code) ?? "\u{FFFD}"
    }

    private func fault(_ sentence: String, at offset: Int? = nil) -> Fault {
        let (line, column) = scanner.place(of: offset ?? scanner.offset)
        return Fault(line: line, column: column, sentence: sentence)
    }
}

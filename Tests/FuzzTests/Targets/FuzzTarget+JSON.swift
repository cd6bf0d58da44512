// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetWire

extension FuzzTarget {
    // MARK: The JSON parser

    /// Compares the parser with Foundation's, and its value with the one that it reads in its own output.
    static func checkJSON(_ input: [UInt8]) throws -> Bool {
        let lenient = Result { () throws(JSONParser.Fault) in try JSONParser.parse(input) }
        let strict = try? JSONParser.parseStrictly(input)
        // Foundation detects UTF-16 and UTF-32 by zeros and byte order marks.
        let isUTF8 =
            !input.contains(0) && !input.starts(with: [0xEF, 0xBB, 0xBF]) && !input.starts(with: [0xFE, 0xFF])
            && !input.starts(with: [0xFF, 0xFE])
        let foundation =
            isUTF8 ? try? JSONSerialization.jsonObject(with: Data(input), options: .fragmentsAllowed) : nil
        switch lenient {
        case .success(let value):
            if let strict { try require(strict.jsonText.hasSameBytes(as: value.jsonText), "strict and lenient differ") }
            for text in [value.jsonText, value.prettyPrinted()] {
                let again = try require(noThrow: { try JSONParser.parseStrictly(text.utf8) })
                try require(again.jsonText.hasSameBytes(as: value.jsonText), "\(text) is read as \(again.jsonText)")
            }
            if let foundation {
                try compare(value, foundation)
            } else if isUTF8, strict != nil, hasFiniteNumbers(value) {
                throw FuzzFinding(description: "Foundation refuses \(value.jsonText)")
            }
            return true
        case .failure(let fault):
            try require(strict == nil, "accepted strictly, but not leniently")
            // Foundation accepts a comma before the end of an array or object.
            let compact = input.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
            let hasTrailingComma = zip(compact, compact.dropFirst()).contains {
                $0 == UInt8(ascii: ",") && [UInt8(ascii: "]"), UInt8(ascii: "}")].contains($1)
            }
            let isIntended =
                fault.sentence.contains("duplicate") || fault.sentence.contains("nested") || hasTrailingComma
            try require(foundation == nil || isIntended, "Foundation accepts it; \(fault)")
            try require(fault.line > 0 && fault.column > 0 && fault.line <= input.count + 1, "\(fault)")
            return false
        }
    }

    private static func hasFiniteNumbers(_ value: JSONValue) -> Bool {
        switch value {
        case .number(let number): number.double != nil
        case .array(let items): items.allSatisfy(hasFiniteNumbers)
        case .object(let object): object.members.allSatisfy { hasFiniteNumbers($0.value) }
        default: true
        }
    }

    private static func hasQuirk(_ text: String) -> Bool {
        text.unicodeScalars.contains("\u{FFFD}") || text.unicodeScalars.contains("\u{FEFF}")
    }

    private static func compare(_ value: JSONValue, _ foundation: Any) throws {
        switch value {
        case .null: try require(foundation is NSNull, "null is \(foundation)")
        case .bool(let bool): try require(foundation as? Bool == bool, "\(bool) is \(foundation)")
        case .number(let number):
            let other = try require(foundation as? NSNumber, "\(number.text) is \(foundation)")
            if let double = number.double {
                // Foundation rounds long digit sequences with exponents differently by some units in the last place.
                let isClose = abs(other.doubleValue - double) <= abs(double) * 1e-12
                try require(isClose, "\(number.text) is \(other.doubleValue)")
            }
            if let int = Int(number.text), int.magnitude < 1 << 53 {
                try require(other.intValue == int, "\(int) is \(other)")
            }
        case .string(let text):
            let other = try require(foundation as? String, "a string is \(foundation)")
            // Foundation refuses half a character or replaces it, and drops byte order marks.
            let isSame = text.hasSameBytes(as: other) || hasQuirk(text)
            try require(isSame, "\(text) is \(other)")
        case .array(let items):
            let others = try require(foundation as? [Any], "an array is \(foundation)")
            try require(items.count == others.count, "\(items.count) items are \(others.count)")
            for (item, other) in zip(items, others) { try compare(item, other) }
        case .object(let object):
            let others = try require(foundation as? [String: Any], "an object is \(foundation)")
            // Foundation's dictionary has one member for names that are canonically equivalent.
            guard Set(object.names).count == object.names.count,
                !object.names.contains(where: hasQuirk)
            else { return }
            try require(object.members.count == others.count, "\(object.names) are \(others.keys)")
            for member in object.members { try compare(member.value, try require(others[member.name], member.name)) }
        }
    }

    // MARK: The flat reader

    /// Compares the fast reader of requests with Foundation's decoder.
    static func checkFlatJSON(_ input: [UInt8]) throws -> Bool {
        guard let flat = input.withUnsafeBytes({ FlatJSON($0) }) else { return false }
        let request = try? JSONDecoder().decode(RefreshRequest.self, from: Data(input))
        let token = try? JSONDecoder().decode(PresentedToken.self, from: Data(input))
        let (fastRequest, fastToken) = (RefreshRequest(flat), PresentedToken(flat))
        try require(fastRequest == request, "the readers differ about the request")
        try require(fastToken == token, "the readers differ about the token")
        let object = try require((try? JSONParser.parseStrictly(input))?.object, "the general reader refuses it")
        for member in object.members {
            let text = try require(flat[member.name], "\(member.name) is missing")
            try require(text.hasSameBytes(as: member.value.string ?? "\n"), "\(member.name) differs")
        }
        return true
    }
}

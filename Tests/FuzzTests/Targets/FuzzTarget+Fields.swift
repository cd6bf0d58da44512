// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetHTTP
import FreshetJWT
import FreshetWire

@testable import FreshetIdentity
@testable import FreshetKit
@testable import FreshetPages

extension FuzzTarget {
    // MARK: Forms

    /// Compares a form with what a second reader finds, and with the form that is written of it.
    static func checkForm(_ input: [UInt8]) throws -> Bool {
        guard let text = String(utf8: input) else { return false }
        let reference = referenceForm(text)
        guard let fields = URLEncodedForm.decode(text) else {
            try require(reference == nil, "a valid form is refused")
            return false
        }
        let other = try require(reference, "an invalid form is accepted")
        try requireSame(fields, other)
        try requireSame(
            fields,
            try require(URLEncodedForm.decode(URLEncodedForm.encode(fields)), "its own form is refused")
        )
        return true
    }

    private static func requireSame(
        _ fields: [(name: String, value: String)],
        _ others: [(name: String, value: String)]
    )
        throws
    {
        try require(fields.count == others.count, "\(fields.count) fields are \(others.count)")
        for (field, other) in zip(fields, others) {
            let isSame = field.name.hasSameBytes(as: other.name) && field.value.hasSameBytes(as: other.value)
            try require(isSame, "\(field) is \(other)")
        }
    }

    private static func referenceForm(_ text: String) -> [(name: String, value: String)]? {
        var names: Set<[UInt8]> = []
        var fields: [(name: String, value: String)] = []
        for pair in text.unicodeScalars.split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let texts = halves.map { unescaped(Array(String($0).utf8)) }
            guard texts.count == 2, let name = texts[0], let value = texts[1], names.insert(Array(name.utf8)).inserted
            else { return nil }
            fields.append((name, value))
        }
        return fields
    }

    static func unescaped(_ bytes: [UInt8]) -> String? {
        var text: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "%") else {
                text.append(bytes[index] == UInt8(ascii: "+") ? 0x20 : bytes[index])
                index += 1
                continue
            }
            guard index + 2 < bytes.count, let high = Character(Unicode.Scalar(bytes[index + 1])).hexDigitValue,
                let low = Character(Unicode.Scalar(bytes[index + 2])).hexDigitValue
            else { return nil }
            text.append(UInt8(high << 4 | low))
            index += 3
        }
        return String(utf8: text)
    }

    // MARK: Cookies

    /// Compares the server's reader of `Cookie` with one that works on bytes; several lines are several fields.
    static func checkCookie(_ input: [UInt8]) throws -> Bool {
        let lines = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let fields = lines.map { String(decoding: $0, as: UTF8.self) }
        let cookie = PageCookie("account")
        let value = CookieField.value(of: cookie.name, in: fields)
        try require(value.map { Array($0.utf8) } == referenceCookie(cookie.name, fields), "\(value ?? "none") is found")
        let secret = value.flatMap { SessionCookieValue($0) }
        if let secret, let value { try require(secret.text.hasSameBytes(as: value), "the value has another text") }
        // A cookie that the server set is found in front of all others.
        let set = String(repeating: "A", count: 43)
        let pair = cookie.setting(set).prefix { $0 != ";" }
        let found = CookieField.value(of: cookie.name, in: ["\(pair); \(fields.first ?? "")"] + fields.dropFirst())
        try require(found == set, "the first cookie is not found")
        return value != nil
    }

    private static func referenceCookie(_ name: String, _ fields: [String]) -> [UInt8]? {
        for field in fields {
            for pair in Array(field.utf8).split(separator: UInt8(ascii: ";")) {
                let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                    .map { part in
                        let end = part.reversed().drop { $0 == 0x20 || $0 == 0x09 }
                        return Array(end.reversed().drop { $0 == 0x20 || $0 == 0x09 })
                    }
                if parts.count == 2, parts[0] == Array(name.utf8), !parts[1].isEmpty { return parts[1] }
            }
        }
        return nil
    }

    /// Compares the client's reader of `Set-Cookie` with RFC 6265 section 5.2 where the field has a single cookie.
    static func checkSetCookie(_ input: [UInt8]) throws -> Bool {
        let text = String(decoding: input, as: UTF8.self)
        let cookies = SetCookie.all(in: text)
        try require(cookies.count <= input.count, "\(cookies.count) cookies")
        for cookie in cookies {
            try require(!cookie.name.isEmpty && !cookie.name.utf8.contains(0x3D), "a cookie named \(cookie.name)")
            try require(!(cookie.name + cookie.value).utf8.contains(0x3B), "a cookie of \(cookie.value)")
            try require(cookie.maxAge?.isNaN != true, "a lifetime that is no number")
            try require(cookie.expires?.isFinite != false, "an expiry of \(cookie.expires ?? 0)")
        }
        let reply = HTTPReply(status: 200, headers: ["Set-Cookie": text, "Date": "Sun, 06 Nov 1994 08:49:37 GMT"])
        if let last = cookies.last { _ = reply.cookie(last.name) }
        guard input.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: ",") }) else {
            return !cookies.isEmpty
        }
        let reference = referenceSetCookie(input)
        try require(cookies.count == (reference == nil ? 0 : 1), "\(cookies.count) cookies")
        guard let cookie = cookies.first, let reference else { return false }
        try require(cookie.name.hasSameBytes(as: reference.name), "\(cookie.name) is \(reference.name)")
        try require(cookie.value.hasSameBytes(as: reference.value), "\(cookie.value) is \(reference.value)")
        try require(cookie.maxAge == reference.maxAge, "\(cookie.maxAge ?? -1) is \(reference.maxAge ?? -1)")
        return true
    }

    private static func referenceSetCookie(_ bytes: [UInt8]) -> (name: String, value: String, maxAge: Double?)? {
        func trimmed(_ bytes: ArraySlice<UInt8>, _ byte: UInt8 = 0x20) -> ArraySlice<UInt8> {
            var bytes = bytes
            while bytes.first == byte { bytes = bytes.dropFirst() }
            while bytes.last == byte { bytes = bytes.dropLast() }
            return bytes
        }
        func halves(_ part: ArraySlice<UInt8>) -> (String, ArraySlice<UInt8>?) {
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else {
                return (String(decoding: trimmed(part), as: UTF8.self), nil)
            }
            return (String(decoding: trimmed(part[..<equals]), as: UTF8.self), trimmed(part[(equals + 1)...]))
        }
        let parts = bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard let first = parts.first else { return nil }
        let (name, found) = halves(first)
        guard !name.isEmpty, let found else { return nil }
        var maxAge: Double?
        for part in parts.dropFirst() {
            let (name, value) = halves(part)
            // Section 5.2.2: digits, perhaps after a minus; anything else is ignored.
            guard name.lowercased() == "max-age", let value else { continue }
            let digits = value.first == UInt8(ascii: "-") ? value.dropFirst() : value
            guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { continue }
            maxAge = Double(String(decoding: value, as: UTF8.self))
        }
        // Some servers quote a value; the quotation marks are no part of a token.
        return (name, String(decoding: trimmed(found, UInt8(ascii: "\"")), as: UTF8.self), maxAge)
    }

    // MARK: Dates and delays

    /// Reads the input as a date, and as the lines of `Retry-After` and `Date`; a date must be read again as it is written.
    static func checkHTTPDate(_ input: [UInt8]) throws -> Bool {
        let text = String(decoding: input, as: UTF8.self)
        let now = 1_800_000_000.0
        let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let delayText = lines.first ?? ""
        let reply = HTTPReply(
            status: 503,
            headers: ["Retry-After": delayText, "Date": lines.last ?? "", "Content-Type": text]
        )
        if let delay = reply.retryDelay {
            try require((0...365 * 86_400).contains(delay.inSeconds), "a delay of \(delay)")
            if delayText.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = Double(delayText) {
                try require(delay.inSeconds == min(seconds, 365 * 86_400), "\(seconds) seconds are \(delay)")
            }
        }
        _ = (reply.isPage, reply.isJSON, reply.isHTMLDocument)
        if let age = JWKSetResponse.maximumAge(cacheControl: text) { try require(age >= 0, "an age of \(age)") }
        guard let seconds = HTTPDate.secondsSince1970(text, now: now) else { return false }
        // From the first second of the year 0 to the last one of 9999.
        try require((-62_167_219_200...253_402_300_799).contains(seconds), "\(seconds) seconds")
        let written = HTTPDate.text(secondsSince1970: Int(seconds))
        try require(HTTPDate.secondsSince1970(written, now: now) == seconds, "\(written) is another time")
        return true
    }

    // MARK: Traces

    /// Compares a `traceparent` with what a second reader accepts.
    static func checkTraceParent(_ input: [UInt8]) throws -> Bool {
        let text = String(decoding: input, as: UTF8.self)
        let parent = TraceParent(text)
        try require((parent != nil) == isTraceParent(Array(text.utf8)), parent == nil ? "refused" : "accepted")
        guard let parent else { return false }
        try require(text.utf8.dropFirst(2).starts(with: parent.description.utf8.dropFirst(2)), "\(parent)")
        try require(parent.description.utf8.count == 55, "\(parent)")
        let child = parent.child()
        try require(TraceParent(child.description) == child, "\(child) is refused")
        try require(child.traceID == parent.traceID && child.flags == parent.flags, "\(child) is of another trace")
        return true
    }

    /// W3C Trace Context, section 3.2.2, by the places of the bytes.
    private static func isTraceParent(_ bytes: [UInt8]) -> Bool {
        func isHex(_ range: Range<Int>) -> Bool { bytes[range].allSatisfy { "0123456789abcdef".utf8.contains($0) } }
        guard (55...256).contains(bytes.count), [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }),
            isHex(0..<2), isHex(3..<35), isHex(36..<52), isHex(53..<55),
            !bytes[3..<35].allSatisfy({ $0 == 0x30 }), !bytes[36..<52].allSatisfy({ $0 == 0x30 })
        else { return false }
        if bytes[0..<2].elementsEqual("ff".utf8) { return false }
        return bytes.count == 55 || !bytes[0..<2].elementsEqual("00".utf8) && bytes[55] == UInt8(ascii: "-")
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetWire

/// A cookie of a `Set-Cookie` field (RFC 6265 section 4.1).
struct SetCookie: Equatable {
    var name: String
    var value: String
    /// The lifetime in seconds from the response.
    var maxAge: Double?
    /// The expiry in seconds since 1970.
    var expires: Double?

    /// Parses all cookies of a field whose values were joined by commas.
    ///
    /// `Expires` contains a comma, too. A comma that separates two cookies is followed by a name and an equals sign.
    static func all(in field: String) -> [SetCookie] {
        // Bytes, because Swift's characters are equal to others of the same meaning: U+037E is a semicolon, too.
        let bytes = Array(field.utf8)
        var cookies: [SetCookie] = []
        var start = bytes.startIndex
        for comma in bytes.indices where bytes[comma] == UInt8(ascii: ",") && isCookie(bytes[(comma + 1)...]) {
            if let cookie = SetCookie(bytes[start..<comma]) { cookies.append(cookie) }
            start = comma + 1
        }
        if let cookie = SetCookie(bytes[start...]) { cookies.append(cookie) }
        return cookies
    }

    /// Whether a name and an equals sign follow.
    private static func isCookie(_ text: ArraySlice<UInt8>) -> Bool {
        let name = text.drop(while: isSpace)
        guard let end = name.firstIndex(where: { isSpace($0) || ";,=".utf8.contains($0) }) else { return false }
        return end > name.startIndex && text[end] == UInt8(ascii: "=")
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private init?(_ text: ArraySlice<UInt8>) {
        let parts = text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map(Self.pair)
        guard let first = parts.first, !first.name.isEmpty, let value = first.value else { return nil }
        name = first.name
        self.value = value.trimmingCharacters(in: CharacterSet(charactersIn: "\""))
        for part in parts.dropFirst() {
            switch part.name.lowercased() {
            case "max-age": maxAge = part.value.flatMap(Self.seconds) ?? maxAge
            case "expires": expires = part.value.flatMap(HTTPDate.secondsSince1970)
            default: break
            }
        }
    }

    /// Parses digits, perhaps after a minus; anything else is ignored (RFC 6265 section 5.2.2).
    private static func seconds(_ text: String) -> Double? {
        let digits = text.utf8.drop { $0 == UInt8(ascii: "-") }
        guard text.utf8.count - digits.count <= 1, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Double(text)
    }

    /// Whether the field deletes the cookie; `Max-Age` has precedence (RFC 6265 section 5.3).
    func isDeletion(at now: Double?) -> Bool {
        if value.isEmpty { return true }
        if let maxAge { return maxAge <= 0 }
        return expires.map { $0 <= now ?? Date().timeIntervalSince1970 } ?? false
    }

    private static func pair(_ text: ArraySlice<UInt8>) -> (name: String, value: String?) {
        let halves = text.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false).map {
            half in
            let start = half.drop(while: isSpace)
            let end = start.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start.startIndex
            return String(decoding: start[..<end], as: UTF8.self)
        }
        return (halves.first ?? "", halves.count == 2 ? halves[1] : nil)
    }
}

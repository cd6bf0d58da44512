// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The `Cookie` header field of a request (RFC 6265 section 4.2).
package enum CookieField {
    /// Returns the value of a cookie.
    ///
    /// - Parameters:
    ///   - name: The cookie's name.
    ///   - fields: The values of a request's `Cookie` fields, in their order.
    /// - Returns: The value of the first cookie of the name that is not empty, without spaces and tabs around it; `nil` if
    ///   there is none. An empty cookie of another path may precede the one that is meant.
    package static func value(of name: String, in fields: [String]) -> String? {
        // Bytes, because Swift's characters are equal to others of the same meaning: U+037E is a semicolon, too.
        for field in fields {
            for pair in Array(field.utf8).split(separator: UInt8(ascii: ";")) {
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")),
                    trimmed(pair[..<equals]).elementsEqual(name.utf8)
                else { continue }
                let value = trimmed(pair[(equals + 1)...])
                if !value.isEmpty { return String(decoding: value, as: UTF8.self) }
            }
        }
        return nil
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = bytes.drop(while: isBlank)
        return start[..<(start.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start.startIndex)]
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

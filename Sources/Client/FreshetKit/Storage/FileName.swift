// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

/// Encodes any text as a file name, and decodes it.
///
/// Lower-case letters, digits, dot, hyphen and underscore are kept; all other characters, and a leading dot, are
/// percent-encoded. Upper-case letters are encoded because most volumes of Apple's systems, and those of Windows,
/// ignore case: otherwise the users `aBc` and `abc` would share a file.
package enum FileName {
    package static func escaped(_ name: String) -> String { escaped(name, keepingCase: false) }

    /// Decodes a file name; `nil` if ``escaped(_:)`` does not return such a name.
    package static func unescaped(_ file: String) -> String? { unescaped(file, keepingCase: false) }

    /// Returns the text with upper-case letters unchanged.
    ///
    /// For names that are compared byte by byte, such as those of kernel keys, and for parts of a file name that
    /// another part makes unique. Earlier versions named all files this way (``FileNameMigration``).
    package static func escapedKeepingCase(_ name: String) -> String { escaped(name, keepingCase: true) }

    /// Decodes a name; `nil` if ``escapedKeepingCase(_:)`` does not return such a name.
    package static func unescapedKeepingCase(_ file: String) -> String? { unescaped(file, keepingCase: true) }

    private static func escaped(_ name: String, keepingCase: Bool) -> String {
        guard !name.isEmpty else { return "%" }
        // Bytes, as an outbox names folders all the time, and appending characters to a string takes ten times as long.
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            let isPlain =
                switch Unicode.Scalar(byte) {
                case "a"..."z", "0"..."9", "-", "_": true
                case ".": !bytes.isEmpty
                case "A"..."Z": keepingCase
                default: false
                }
            if isPlain {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func unescaped(_ file: String, keepingCase: Bool) -> String? {
        guard file != "%" else { return "" }
        var bytes: [UInt8] = []
        var rest = Array(file.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard let name = String(utf8: bytes), escaped(name, keepingCase: keepingCase) == file
        else {
            return nil
        }
        return name
    }
}

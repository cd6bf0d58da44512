// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Any text as the name of a file, and back.
///
/// Lower-case letters, digits, dot, hyphen and underscore stay; everything else, and a leading dot, is percent-encoded.
/// Upper-case letters are encoded because most volumes of Apple's systems, and those of Windows, ignore case: without that
/// the users `aBc` and `abc` share a file there. The two names differ in more than case.
package enum FileName {
    package static func escaped(_ name: String) -> String { escaped(name, keepingCase: false) }

    /// - Returns: `nil` if no name is escaped like this.
    package static func unescaped(_ file: String) -> String? { unescaped(file, keepingCase: false) }

    /// The text with upper-case letters as they are.
    ///
    /// It is for names that are compared byte by byte, such as those of kernel keys, and for parts of a file name that
    /// another part makes unique. Earlier versions named all files like this (``FileNameMigration``).
    package static func escapedKeepingCase(_ name: String) -> String { escaped(name, keepingCase: true) }

    /// - Returns: `nil` if ``escapedKeepingCase(_:)`` gives no such name.
    package static func unescapedKeepingCase(_ file: String) -> String? { unescaped(file, keepingCase: true) }

    private static func escaped(_ name: String, keepingCase: Bool) -> String {
        guard !name.isEmpty else { return "%" }
        return name.utf8.enumerated().reduce(into: "") { text, next in
            let (index, byte) = next
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                switch scalar {
                case "a"..."z", "0"..."9", "-", "_", ".": true
                case "A"..."Z": keepingCase
                default: false
                }
            if isPlain && !(index == 0 && scalar == ".") {
                text.unicodeScalars.append(scalar)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                text += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
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
        guard let name = String(validating: bytes, as: UTF8.self), escaped(name, keepingCase: keepingCase) == file
        else {
            return nil
        }
        return name
    }
}

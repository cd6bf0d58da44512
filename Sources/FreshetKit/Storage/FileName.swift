// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Any text as the name of a file, and back.
///
/// Letters, digits, dot, hyphen and underscore stay; anything else, and a leading dot, cannot name another file.
enum FileName {
    static func escaped(_ name: String) -> String {
        guard !name.isEmpty else { return "%" }
        return name.utf8.enumerated().reduce(into: "") { text, next in
            let (index, byte) = next
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".": true
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

    /// - Returns: `nil` if no name is escaped like this.
    static func unescaped(_ file: String) -> String? {
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
        guard let name = String(validating: bytes, as: UTF8.self), escaped(name) == file else { return nil }
        return name
    }
}

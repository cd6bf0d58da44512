// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A cursor over the bytes of a JSON text.
struct JSONScanner {
    private let bytes: ArraySlice<UInt8>
    private(set) var offset: Int

    init(_ text: String) { self.init(Array(text.utf8)[...]) }

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        offset = bytes.startIndex
    }

    var isAtEnd: Bool { offset == bytes.endIndex }
    var next: UInt8? { offset < bytes.endIndex ? bytes[offset] : nil }

    mutating func advance(by count: Int = 1) { offset = min(offset + count, bytes.endIndex) }

    mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        offset += 1
        return true
    }

    mutating func take(_ literal: StaticString) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard bytes.endIndex - offset >= count else { return false }
        let matches = literal.withUTF8Buffer { zip($0, bytes[offset...]).allSatisfy { $0 == $1 } }
        if matches { offset += count }
        return matches
    }

    mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    /// Skips to the next quotation mark, backslash or control character.
    mutating func skipPlainText() {
        while offset < bytes.endIndex {
            let byte = bytes[offset]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { return }
            offset += 1
        }
    }

    /// Skips a number (RFC 8259 section 6).
    ///
    /// - Returns: Whether there was one.
    mutating func skipNumber() -> Bool {
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { guard skipDigits() else { return false } }
        if take(UInt8(ascii: ".")) { guard skipDigits() else { return false } }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            guard skipDigits() else { return false }
        }
        return true
    }

    private mutating func skipDigits() -> Bool {
        let start = offset
        while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { offset += 1 }
        return offset > start
    }

    func slice(from start: Int) -> ArraySlice<UInt8> { bytes[start..<offset] }

    /// Reads the value of four hexadecimal digits.
    mutating func takeHex4() -> UInt16? {
        guard bytes.endIndex - offset >= 4 else { return nil }
        var value: UInt16 = 0
        for byte in bytes[offset..<offset + 4] {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            value = value << 4 | UInt16(digit)
        }
        offset += 4
        return value
    }

    /// Returns line and column of an offset, from 1; a column is a code point.
    func place(of offset: Int) -> (line: Int, column: Int) {
        let read = bytes[..<offset]
        let newline = UInt8(ascii: "\n")
        let line = read.count { $0 == newline } + 1
        let start = read.lastIndex(of: newline).map { $0 + 1 } ?? bytes.startIndex
        // Continuation bytes of a code point begin with the bits 10.
        let column = read[start...].count { $0 & 0xC0 != 0x80 } + 1
        return (line, column)
    }
}

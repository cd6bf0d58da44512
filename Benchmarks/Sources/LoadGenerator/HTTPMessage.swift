// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Where the parts of an HTTP/1.1 message lie, as far as a benchmark has to know.
package struct HTTPMessage {
    /// Of an answer; 0 for a request.
    package let status: Int
    package let body: Range<Int>
    package let closes: Bool

    /// Reads a message that has wholly arrived.
    ///
    /// - Returns: `nil` if more bytes must come first.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard let headEnd = Self.endOfHead(bytes) else { return nil }
        let head = UnsafeRawBufferPointer(rebasing: bytes[..<headEnd])
        let isAnswer = head.starts(with: Self.version)
        status = isAnswer && head.count > 12 ? Self.number(head, 9) : 0
        let length = Self.value(of: "content-length:", in: head).map { Self.number(head, $0) } ?? 0
        guard bytes.count >= headEnd + length else { return nil }
        body = headEnd..<headEnd + length
        closes = Self.value(of: "connection:", in: head).map { head[$0] | 0x20 == UInt8(ascii: "c") } ?? false
    }

    private static let version = Array("HTTP/1.1 ".utf8)

    private static func endOfHead(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var index = 3
        while index < bytes.count {
            // Most bytes are neither, so three of four need no look.
            switch bytes[index] {
            case 10:
                if bytes[index - 1] == 13, bytes[index - 2] == 10, bytes[index - 3] == 13 { return index + 1 }
                index += 2
            case 13: index += 1
            default: index += 4
            }
        }
        return nil
    }

    /// Where the value of a header begins; `name` is in small letters and ends with a colon.
    private static func value(of name: StaticString, in head: UnsafeRawBufferPointer) -> Int? {
        let count = name.utf8CodeUnitCount
        var index = 0
        while index + count < head.count {
            if head[index] | 0x20 == name.utf8Start[0] {
                var matched = 1
                while matched < count, head[index + matched] | 0x20 == name.utf8Start[matched] | 0x20 { matched += 1 }
                if matched == count {
                    index += count
                    while index < head.count, head[index] == 32 { index += 1 }
                    return index
                }
            }
            while index < head.count, head[index] != 10 { index += 1 }
            index += 1
        }
        return nil
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Int {
        var number = 0
        var index = start
        while index < bytes.count, 48...57 ~= bytes[index] {
            number = number * 10 + Int(bytes[index] - 48)
            index += 1
        }
        return number
    }
}

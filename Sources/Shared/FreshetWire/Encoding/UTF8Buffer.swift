// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A UTF-8 buffer for text that is assembled from several parts.
///
/// Every refresh writes an access token, a body, a head and a log line; a `String` for each part and each concatenation
/// would cost more than producing the contents.
package struct UTF8Buffer: Sendable {
    package internal(set) var bytes: [UInt8] = []

    package init(capacity: Int) { bytes.reserveCapacity(capacity) }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package mutating func add(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    package mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    package mutating func add(_ more: [UInt8]) { bytes.append(contentsOf: more) }

    /// Adds a number in decimal digits.
    package mutating func add(_ number: Int64) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        add(number.magnitude, digits: 1)
    }

    /// Adds a number in decimal digits.
    package mutating func add(_ number: Int) { add(Int64(number)) }

    /// Adds a number in decimal digits, padded with zeros to `digits`, at most 20.
    package mutating func add(_ number: UInt64, digits: Int) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { room in
            var rest = number
            var start = 20
            repeat {
                start -= 1
                room[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while start > 0 && (rest > 0 || 20 - start < digits)
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: room[start...]))
        }
    }

    /// Adds bytes in base64url.
    package mutating func add(base64URL source: UnsafeRawBufferPointer) {
        let source = source.bindMemory(to: UInt8.self)
        let length = Base64URL.length(of: source.count)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { room in
            Base64URL.write(source, to: room)
            bytes.append(contentsOf: room)
        }
    }
}

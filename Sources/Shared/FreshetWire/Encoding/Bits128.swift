// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Sixteen bytes, in place: session ids, intents and salts are in every token and row, and an array is an object of its own.
package struct Bits128: Hashable, Sendable {
    package static let byteCount = 16

    // In the order of memory, whatever numbers they come to.
    private let first: UInt64
    private let second: UInt64

    /// Takes over eight and eight bytes, as they lie in memory.
    package init(_ first: UInt64, _ second: UInt64) {
        self.first = first
        self.second = second
    }

    /// Takes over the first sixteen of at least as many bytes.
    package init(startOf bytes: UnsafeRawBufferPointer) {
        self.init(bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    /// Takes over sixteen bytes.
    ///
    /// - Returns: `nil` for any other count.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &halves) { $0.copyBytes(from: bytes) }
        self.init(halves.0, halves.1)
    }

    /// The bytes, first to last.
    package var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// Shows `body` the bytes.
    package func withUnsafeBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        try Swift.withUnsafeBytes(of: (first, second), body)
    }
}

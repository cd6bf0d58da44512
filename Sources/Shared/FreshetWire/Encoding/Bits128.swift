// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Sixteen bytes, stored inline.
///
/// Session IDs, intents and salts are in every token and row, and an array would need an allocation.
package struct Bits128: Hashable, Sendable {
    package static let byteCount = 16

    // In memory order; the numeric values have no meaning.
    private let first: UInt64
    private let second: UInt64

    /// Creates the value from two halves in memory order.
    package init(_ first: UInt64, _ second: UInt64) {
        self.first = first
        self.second = second
    }

    /// Creates the value from the first sixteen bytes of a buffer with at least sixteen.
    package init(startOf bytes: UnsafeRawBufferPointer) {
        self.init(bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    /// Creates the value from sixteen bytes.
    ///
    /// - Returns: `nil` for any other number of bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &halves) { $0.copyBytes(from: bytes) }
        self.init(halves.0, halves.1)
    }

    /// The bytes, first to last.
    package var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// Calls `body` with the bytes.
    package func withUnsafeBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        try Swift.withUnsafeBytes(of: (first, second), body)
    }
}

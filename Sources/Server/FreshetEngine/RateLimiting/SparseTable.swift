// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A fixed number of integers that are zero at first; their memory is allocated in blocks, by the first change.
///
/// A server has three tables of half a megabyte, and one that has just started, or has few users, changes few places.
package struct SparseTable: Sendable {
    private static let blockSize = 256

    package let count: Int
    private var blocks: [[Int]]

    package init(count: Int) {
        self.count = max(1, count)
        blocks = Array(repeating: [], count: (self.count + Self.blockSize - 1) / Self.blockSize)
    }

    package subscript(index: Int) -> Int {
        get {
            let block = index / Self.blockSize
            return blocks[block].isEmpty ? 0 : blocks[block][index % Self.blockSize]
        }
        set {
            let block = index / Self.blockSize
            if blocks[block].isEmpty { blocks[block] = Array(repeating: 0, count: Self.blockSize) }
            blocks[block][index % Self.blockSize] = newValue
        }
    }

    /// Returns the place of a hash.
    package func place(of hash: Int) -> Int { Int(UInt(bitPattern: hash) % UInt(count)) }
}

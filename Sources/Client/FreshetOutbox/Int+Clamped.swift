// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension Int {
    /// Returns the sum, clamped to the largest or smallest integer.
    ///
    /// Sizes and times of files are read from the disk, where other processes may have written any value.
    func adding(clamped other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other < 0 ? .min : .max) : sum
    }

    /// Returns the difference, clamped to the largest or smallest integer.
    func subtracting(clamped other: Int) -> Int {
        let (difference, overflows) = subtractingReportingOverflow(other)
        return overflows ? (other < 0 ? .max : .min) : difference
    }
}

extension Sequence<OutboxEntry> {
    /// The total size of all items.
    var totalBytes: Int { reduce(0) { $0.adding(clamped: $1.bytes) } }
}

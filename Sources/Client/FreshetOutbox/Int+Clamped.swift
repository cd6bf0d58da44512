// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension Int {
    /// This number plus `other`, or the largest or smallest number if the sum does not fit.
    ///
    /// Sizes and times of files are read from the disk, where other programs may have put any value.
    func adding(clamped other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other < 0 ? .min : .max) : sum
    }

    /// This number minus `other`, or the largest or smallest number if the difference does not fit.
    func subtracting(clamped other: Int) -> Int {
        let (difference, overflows) = subtractingReportingOverflow(other)
        return overflows ? (other < 0 ? .max : .min) : difference
    }
}

extension Sequence<OutboxEntry> {
    /// The sizes of all items together.
    var totalBytes: Int { reduce(0) { $0.adding(clamped: $1.bytes) } }
}

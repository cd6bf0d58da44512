// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The commits that must be on disk before the caller of a write receives its result, the weakest first.
enum WriteDurability: Int, Comparable, Sendable {
    case none
    /// The commits that it has read.
    case earlierCommits
    /// The write itself.
    case write

    static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

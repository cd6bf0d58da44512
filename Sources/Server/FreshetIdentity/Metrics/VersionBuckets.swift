// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Assigns app versions to a bounded number of buckets, `1.4` for all of 1.4.x.
struct VersionBuckets: Sendable {
    /// The maximum number of versions; others are counted as `other`, because a label that clients choose must not
    /// exhaust memory.
    static let limit = 20

    private var known: Set<String> = []

    mutating func bucket(_ version: String?) -> String {
        guard let version else { return "unknown" }
        let parts = version.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false).prefix(2)
            .map(String.init)
        let areNumbers = parts.allSatisfy { part in
            (1...4).contains(part.utf8.count) && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard areNumbers else { return "other" }
        let bucket = parts.joined(separator: ".")
        if known.contains(bucket) { return bucket }
        guard known.count < Self.limit else { return "other" }
        known.insert(bucket)
        return bucket
    }
}

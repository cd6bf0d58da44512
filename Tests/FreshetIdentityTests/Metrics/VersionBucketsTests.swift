// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetIdentity

@Suite struct `Buckets of client versions` {
    @Test func `client versions are put into a limited number of buckets, regardless of their number`() {
        var buckets = VersionBuckets()
        let seen = Set((0..<1000).map { buckets.bucket("\($0).1.7") })
        #expect(seen.count == VersionBuckets.limit + 1)
        #expect(buckets.bucket("0.1.99") == "0.1")
        for odd in ["", "1.", "12345.1", "1.x", "١.٢", "9\n9"] { #expect(buckets.bucket(odd) == "other") }
        #expect(buckets.bucket(nil) == "unknown")
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Why there are no figures.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

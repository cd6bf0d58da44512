// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A write's value, and whether the write must be on disk before the caller receives its result.
struct WriteResult<Value: Sendable>: Sendable {
    var value: Value
    var mustBeDurable = false
}

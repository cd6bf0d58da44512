// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A write's value, and the durability that its caller needs.
struct WriteResult<Value: Sendable>: Sendable {
    var value: Value
    var durability = WriteDurability.none
}

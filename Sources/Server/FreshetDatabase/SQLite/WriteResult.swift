// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A write's value, and whether what it wrote must be on disk before anybody hears of it.
package struct WriteResult<Value: Sendable>: Sendable {
    var value: Value
    var mustBeDurable = false
}

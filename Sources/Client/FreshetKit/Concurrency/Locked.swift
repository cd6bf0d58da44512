// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// A value that one thread at a time may read or change.
///
/// It stands in for the standard library's `Mutex`, whose slow path on Linux ThreadSanitizer cannot see: under contention
/// every access that it guards is reported as a race, and real races would drown in that.
package final class Locked<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    /// Runs `body` while nobody else sees the value.
    ///
    /// Nothing in it may wait.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

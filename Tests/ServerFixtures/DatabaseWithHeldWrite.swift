// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetDatabase
import NIOConcurrencyHelpers

/// A database whose first background write waits for a test.
package final class DatabaseWithHeldWrite: ForwardingDatabase {
    package let base: any ServerDatabase
    private let isFirst = NIOLockedValueBox(true)
    private let begins = AsyncStream.makeStream(of: Void.self)
    private let ends = AsyncStream.makeStream(of: Void.self)

    package init(_ base: any ServerDatabase) { self.base = base }

    package func waitForWrite() async { for await _ in begins.stream { return } }
    package func releaseWrite() { ends.continuation.yield() }

    package func backgroundWrite<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        let isHeld = isFirst.withLockedValue { isFirst in
            defer { isFirst = false }
            return isFirst
        }
        if isHeld {
            begins.continuation.yield()
            for await _ in ends.stream { break }
        }
        return try await base.backgroundWrite(body)
    }
}

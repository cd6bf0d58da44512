// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// Runs what waits for other processes, or takes seconds, on a thread of its own.
///
/// Tests beside it need the few threads that tasks have.
///
/// - Parameter body: Runs on the thread.
/// - Returns: Its value.
/// - Throws: Its error.
package func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}

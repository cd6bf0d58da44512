// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetKit

/// A request that outlives the double that it was sent to.
final class ServedClient: Sendable {
    private let task = Locked<Task<Int, any Error>?>(nil)

    func start(_ request: @escaping @Sendable () async throws -> Int) {
        task.withLock { $0 = Task { try await request() } }
    }

    func outcome() async throws -> Int? { try await task.withLock { $0 }?.value }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The number of connections that the system's limit of open files permits.
package struct DescriptorBudget: Equatable, Sendable {
    /// The limit of open files (`RLIMIT_NOFILE`).
    package var limit: Int
    /// The number of files that are open before the first connection: database, event loops, listeners.
    package var inUse: Int

    package init(limit: Int, inUse: Int) {
        self.limit = limit
        self.inUse = inUse
    }

    /// The descriptors reserved for the database, mail, operators and subprocesses: a quarter, from 16 to 512.
    package var reserve: Int { min(max(limit / 4, 16), 512) }

    /// Whether connections use half of the reserve, so that no more must be accepted until some are closed.
    package var isShort: Bool { limit - inUse <= reserve / 2 }

    /// Returns the number of connections to admit if `wanted` are configured; at least one.
    package func connections(atMost wanted: Int) -> Int { max(1, min(wanted, limit - inUse - reserve)) }
}

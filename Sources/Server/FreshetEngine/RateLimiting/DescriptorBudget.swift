// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The number of connections that the system's limit of open files permits.
package struct DescriptorBudget: Equatable, Sendable {
    /// The limit of open files (`RLIMIT_NOFILE`).
    package var limit: Int
    /// The files that are open before the first connection: database, event loops, listeners.
    package var inUse: Int

    package init(limit: Int, inUse: Int) {
        self.limit = limit
        self.inUse = inUse
    }

    /// The descriptors reserved for the database, mail, operators and subprocesses: a quarter, from 16 to 512.
    package var reserve: Int { min(max(limit / 4, 16), 512) }

    /// Whether connections have taken half of the reserve: no more are to be accepted until some are closed.
    package var isShort: Bool { limit - inUse <= reserve / 2 }

    /// The number of connections to admit, if `wanted` are configured; one at least.
    package func connections(atMost wanted: Int) -> Int { max(1, min(wanted, limit - inUse - reserve)) }
}

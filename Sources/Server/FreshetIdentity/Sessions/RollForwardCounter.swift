// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Logging
import NIOConcurrencyHelpers

/// Counts how often clients were ahead of the database by more than the one generation that the protocol allows for.
///
/// Each time, the database had lost commits or was restored from an older copy; the session goes on, and the operator
/// should know.
final class RollForwardCounter: Sendable {
    private let count = NIOLockedValueBox(0)

    /// Since the server started.
    var total: Int { count.withLockedValue { $0 } }

    /// Counts one session that was rolled forward, and warns.
    ///
    /// - Parameters:
    ///   - generations: How many generations the database did not know of.
    ///   - metadata: Which session it was.
    ///   - log: Where the warning goes.
    func record(_ generations: UInt64, _ metadata: Logger.Metadata, to log: Logger) {
        let total = count.withLockedValue { count in
            count += 1
            return count
        }
        var metadata = metadata
        metadata["lost_generations"] = .stringConvertible(generations)
        metadata["total"] = .stringConvertible(total)
        log.warning("the database had lost commits", metadata: metadata)
    }
}

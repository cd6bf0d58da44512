// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Logging
import NIOConcurrencyHelpers

/// Counts sessions whose client is ahead of the database by more than one generation.
///
/// In these cases the database lost commits or was restored from an older copy. The session continues, and the operator
/// is warned.
final class RollForwardCounter: Sendable {
    private let count = NIOLockedValueBox(0)

    /// The number since the server started.
    var total: Int { count.withLockedValue { $0 } }

    /// Counts a session that was rolled forward, and logs a warning.
    ///
    /// - Parameters:
    ///   - generations: The number of generations missing from the database.
    ///   - metadata: Identifies the session.
    ///   - log: Receives the warning.
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

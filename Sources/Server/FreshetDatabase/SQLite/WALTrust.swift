// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOConcurrencyHelpers

/// Whether a flush of the WAL says anything about the pages that were written before it.
///
/// The system reports a failed flush once, and then takes the pages for written although they are not on the disk. Later
/// flushes succeed, and a power failure ends the WAL at the first page that is missing. Only a checkpoint of all pages,
/// after which the WAL is empty, makes it reliable again.
package final class WALTrust: Sendable {
    private let isLost = NIOLockedValueBox(false)

    package init() {}

    /// Whether a flush has failed since the WAL was last emptied.
    package var mustRestart: Bool { isLost.withLockedValue { $0 } }

    /// Records a failed operation; only a failure of the disk has consequences.
    package func failed(_ error: any Error) {
        guard (SQLError.translated(error) as? SQLError)?.isDiskFailure == true else { return }
        isLost.withLockedValue { $0 = true }
    }

    /// Records that the WAL could not be emptied at the start: what an earlier process knew of it is lost.
    package func becameUnknown() { isLost.withLockedValue { $0 = true } }

    /// Empties the WAL, and flushes a new commit.
    ///
    /// No other connection checkpoints meanwhile, so that no failure is overlooked.
    ///
    /// - Parameter connection: The writer's connection, outside a transaction.
    /// - Throws: `SQLError`; busy while a reader needs the WAL.
    package func restore(with connection: SQLiteConnection) throws {
        try connection.restartWAL()
        try connection.flush()
        isLost.withLockedValue { $0 = false }
    }
}

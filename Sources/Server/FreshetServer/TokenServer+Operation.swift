// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
import FreshetDatabase
import FreshetIdentity
package import FreshetWire

extension TokenServer {
    /// Ends a session as an operator does: durably, with an audit record, and published at once.
    ///
    /// - Returns: Whether the session was alive.
    package func endSession(_ id: SessionID, of user: UUID) async throws -> Bool {
        let service = AdminService(database: parts.database, clock: parts.clock.now, authority: .command)
        let ended = try await service.endReturningEnded(of: user, only: id, because: nil)
        // The audit record is written already, so the event must not add another one.
        parts.sessions.publishEnd(of: ended.ids, user, .revokedByOperator, at: ended.at, by: .anotherProcess)
        return !ended.ids.isEmpty
    }
}

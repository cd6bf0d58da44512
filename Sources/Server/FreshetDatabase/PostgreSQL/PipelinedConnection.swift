// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
package import FreshetWire

/// A connection that sends several statements as one message.
///
/// PostgreSQL's is ``PostgresConnection``; the simulator has one on SQLite.
package protocol PipelinedConnection: AnyObject {
    /// Whether the connection is open, as of its last use.
    var isOpen: Bool { get }

    /// Selects the rows of sessions.
    ///
    /// - Returns: Each session's row, or `nil` if there is none, or the error if it is damaged.
    func sessions(_ ids: [SessionID]) throws -> [Result<SessionRow?, any Error>]

    /// Executes statements as one transaction.
    ///
    /// - Parameters:
    ///   - statements: The statements.
    ///   - isDurable: Whether the transaction is on disk when this returns.
    /// - Returns: The number of rows that each one changed.
    /// - Throws: `SQLError`; nothing is written then, unless the connection was lost.
    func execute(_ statements: [PostgresQuery], isDurable: Bool) throws -> [Int]

    /// Rolls back a failed transaction, if there is one.
    func rollBack()
}

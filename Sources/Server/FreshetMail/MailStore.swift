// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetDatabase
import FreshetEngine
package import FreshetWire
import Logging

/// The part of the mail queue that survives a restart.
///
/// A row belongs to the process that accepted the mail. Servers that share a database show by a counter that they run; the rows
/// of one that stopped go to the others. On a database of its own a server takes all rows when it starts.
package struct MailStore: Sendable {
    /// The time between two increments of the counter.
    package static let interval = Duration.seconds(5)
    /// A server that could not increment its counter for this long delivers nothing: another one may have taken its mails.
    static let leaseDuration = interval * (HeartbeatMonitor.missedBeatLimit - 1)

    package let database: any ServerDatabase
    package let seal: MailSeal
    /// Whether other servers may use the database.
    package let isShared: Bool
    /// This process.
    package let server = Bits128(UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)).bytes

    package init(database: any ServerDatabase, seal: MailSeal, isShared: Bool) {
        self.database = database
        self.seal = seal
        self.isShared = isShared
    }

    /// Registers this server, so that no other one takes its mails.
    package func register() throws {
        guard isShared else { return }
        _ = try database.writeNow { try MailTable.recordHeartbeat(server, in: $0) }
    }

    /// Leaves the rows to other servers.
    func unregister() {
        guard isShared else { return }
        try? database.writeNow { try MailTable.unregister([server], in: $0) }
    }

    package func insert(_ mail: QueuedMail, id: Bits128, in connection: any SQLConnection) throws {
        try MailTable.insert(try seal.seal(mail, id: id, owner: server), in: connection)
    }

    /// Inserts a mail that no answer waits for.
    func insertLater(_ mail: QueuedMail, id: Bits128) {
        database.enqueueBestEffort {
            try insert(mail, id: id, in: $0)
        } otherwise: {
        }
    }

    /// Deletes rows, in the background; `failed` is called if they stay.
    func deleteLater(_ ids: [Bits128], otherwise failed: @escaping @Sendable () -> Void) {
        database.enqueueBestEffort {
            try MailTable.delete(ids, in: $0)
        } otherwise: {
            failed()
        }
    }

    /// Shows that this server runs.
    ///
    /// - Returns: The counters of the other servers, and the ids of this server's rows if it was taken for one that stopped.
    func recordHeartbeat() async throws -> (others: [(server: [UInt8], beat: Int64)], remaining: Set<Bits128>?) {
        guard isShared else { return ([], nil) }
        return try await database.backgroundWrite { [server] connection in
            let wasRegistered = try MailTable.recordHeartbeat(server, in: connection)
            let remaining = wasRegistered ? nil : try MailTable.ids(of: server, in: connection)
            return (try MailTable.heartbeats(besides: server, in: connection), remaining)
        }
    }

    /// Takes over rows of servers that stopped.
    func takeOrphans(of dead: [[UInt8]], limit: Int, now: Timestamp) async throws -> [MailTable.Row] {
        try await database.backgroundWrite { [server] connection in
            try MailTable.unregister(dead, in: connection)
            return try MailTable.takeOrphans(for: server, limit: limit, now: now, in: connection)
        }
    }
}

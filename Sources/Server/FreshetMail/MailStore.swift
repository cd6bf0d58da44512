// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetDatabase
import FreshetEngine
import FreshetWire
import Logging

/// The persistent part of the mail queue.
///
/// A row belongs to the process that accepted the mail. Servers that share a database record heartbeats; the rows of a
/// stopped server are taken over by other servers. A server with its own database takes over all rows at startup.
package struct MailStore: Sendable {
    /// The interval between two heartbeats.
    static let interval = Duration.seconds(5)
    /// The time without a heartbeat after which this server delivers no mail.
    ///
    /// Another server may have taken over its mails by then.
    static let leaseDuration = interval * (HeartbeatMonitor.missedBeatLimit - 1)

    let database: any ServerDatabase
    let seal: MailSeal
    /// Whether other servers may use the database.
    let isShared: Bool
    /// The id of this process.
    let server = Bits128(UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)).bytes

    package init(database: any ServerDatabase, seal: MailSeal, isShared: Bool) {
        self.database = database
        self.seal = seal
        self.isShared = isShared
    }

    /// Registers this server, so that no other one takes over its mails.
    package func register() throws {
        guard isShared else { return }
        _ = try database.writeNow { try MailTable.recordHeartbeat(server, in: $0) }
    }

    /// Unregisters this server, so that others take over its rows.
    func unregister() {
        guard isShared else { return }
        try? database.writeNow { try MailTable.unregister([server], in: $0) }
    }

    func insert(_ mail: QueuedMail, id: Bits128, in connection: any SQLConnection) throws {
        try MailTable.insert(try seal.seal(mail, id: id, owner: server), in: connection)
    }

    /// Inserts a mail that no response waits for.
    func insertLater(_ mail: QueuedMail, id: Bits128) {
        database.enqueueBestEffort {
            try insert(mail, id: id, in: $0)
        } otherwise: {
        }
    }

    /// Deletes rows in the background, and calls `failed` if that fails.
    func deleteLater(_ ids: [Bits128], otherwise failed: @escaping @Sendable () -> Void) {
        database.enqueueBestEffort {
            try MailTable.delete(ids, in: $0)
        } otherwise: {
            failed()
        }
    }

    /// Records a heartbeat of this server.
    ///
    /// - Returns: The counters of the other servers, and the ids of this server's rows if it was considered stopped.
    func recordHeartbeat() async throws -> (others: [(server: [UInt8], beat: Int64)], remaining: Set<Bits128>?) {
        guard isShared else { return ([], nil) }
        return try await database.backgroundWrite { [server] connection in
            let wasRegistered = try MailTable.recordHeartbeat(server, in: connection)
            let remaining = wasRegistered ? nil : try MailTable.ids(of: server, in: connection)
            return (try MailTable.heartbeats(besides: server, in: connection), remaining)
        }
    }

    /// Takes over rows of stopped servers.
    func takeOrphans(of dead: [[UInt8]], limit: Int, now: Timestamp) async throws -> [MailTable.Row] {
        try await database.backgroundWrite { [server] connection in
            try MailTable.unregister(dead, in: connection)
            return try MailTable.takeOrphans(for: server, limit: limit, now: now, in: connection)
        }
    }
}

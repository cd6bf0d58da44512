// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import Hummingbird
import Logging
import ServiceLifecycle

/// Learns of sessions that other processes ended on the same database, such as an operator's command, and of users that
/// they disabled; within a second.
final class EndedWatch: Service {
    /// How often it looks.
    static let interval = Duration.milliseconds(400)
    /// Younger endings may be this server's own, about to be told.
    static let grace = Duration.milliseconds(300)
    /// An ending is dated before it is committed; so far back another look is taken.
    static let overlap = Duration.seconds(10)

    let sessions: SessionRegistry
    let log: Logger

    /// A class, as all services are: their descriptions stand in the log, and a value's shows what it holds.
    init(sessions: SessionRegistry, log: Logger) {
        self.sessions = sessions
        self.log = log
    }

    func run() async throws {
        while true {
            do { try await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.interval) } } catch { return }
            do { try await look() } catch { log.warning("ended sessions cannot be read", error: error) }
        }
    }

    /// Takes one look.
    func look() async throws {
        let now = sessions.clock()
        let found = try await sessions.database.read { database in
            try SessionTable.endings(since: now + (.zero - Self.overlap), in: database)
        }
        for ending in found where now - ending.at >= Self.grace && !sessions.ended.contains(ending.id) {
            sessions.noteEnd(of: [ending.id], ending.user, ending.reason, at: ending.at, by: .anotherProcess)
        }
    }
}

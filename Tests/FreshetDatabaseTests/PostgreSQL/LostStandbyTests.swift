// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import PostgresCluster
import ServerFixtures
import Testing

@testable import FreshetDatabase

@Suite(
    .timeLimit(.minutes(3)),
    .serialized,
    .enabled(if: PostgresCluster.isWanted, "FRESHET_WITHOUT_POSTGRES is set")
)
struct `A lost synchronous standby` {
    /// A cluster of the test's own, because the setting is one of the cluster, with a server's database.
    private final class Place: Sendable {
        let cluster: PostgresCluster
        let configuration: PostgresConfiguration
        let database: PostgresDatabase
        let sessions: [SessionRow]
        private let (answers, answer) = AsyncStream.makeStream(of: String.self)

        /// Four connections: one for rotations, two for durable transactions, one for reading.
        private init(sessions count: Int) async throws {
            let (cluster, configuration) = try await onThread {
                let cluster = try PostgresCluster()
                var configuration = try PostgresConfiguration(cluster.database())
                configuration.connections = 4
                configuration.statementTimeout = .seconds(120)
                return (cluster, configuration)
            }
            self.cluster = cluster
            self.configuration = configuration
            database = try PostgresDatabase(configuration)
            let now = Timestamp(milliseconds: 1_800_000_000_000)
            let sessions = (0..<count).map { _ in
                SessionRow.start(
                    user: UUID(),
                    mode: .intent,
                    device: Device(),
                    lifetimes: Lifetimes(),
                    keyID: 1,
                    now: now
                )
            }
            self.sessions = sessions
            try await database.durably { for row in sessions { try SessionTable.insert(row, in: $0) } }
        }

        /// Runs a test.
        static func run(sessions count: Int, _ body: (Place) async throws -> Void) async throws {
            let place = try await Place(sessions: count)
            do { try await body(place) } catch {
                await place.stop()
                throw error
            }
            try place.database.close()
            await place.stop()
        }

        private func stop() async { try? await onThread { [cluster] in cluster.stop() } }

        func loseStandby() async throws { try await onThread { [cluster] in try cluster.loseStandby() } }
        func forgetStandby() async throws { try await onThread { [cluster] in try cluster.forgetStandby() } }

        func untilCommitsWait(_ count: Int) async throws {
            try await onThread { [cluster] in try cluster.waitUntilCommitsWait(count) }
        }

        /// Changes a session; the answer follows.
        func change(_ name: String, _ session: Int, mustBeDurable: Bool = false) {
            database.change(
                sessions[session].id,
                { row in
                    var new = row
                    new.rotation.next += 1
                    return SessionChange(value: name, row: new, mustBeDurable: mustBeDurable)
                },
                completion: { [answer] result in
                    switch result {
                    case .success(let value): answer.yield(value ?? "unknown")
                    case .failure(let error): answer.yield("\(name): \(error)")
                    }
                }
            )
        }

        /// The next answers, in the order of their names.
        func next(_ count: Int) async -> [String] {
            var all: [String] = []
            for await answer in answers {
                all.append(answer)
                if all.count == count { break }
            }
            return all.sorted()
        }

        /// The number of changes that a session has had.
        func changes(_ session: Int) async throws -> UInt64? {
            let row = sessions[session]
            let found = try await database.read { try SessionTable.find(row.id, in: $0) }
            return found.map { $0.rotation.next - row.rotation.next }
        }
    }

    @Test func `durable changes wait for the lost standby, refreshes and reads do not`() async throws {
        try await Place.run(sessions: 6) { place in
            try await place.loseStandby()
            place.change("logout 0", 0, mustBeDurable: true)
            try await place.untilCommitsWait(1)
            // In one batch with a logout, a refresh does not wait for it.
            place.change("refresh 1", 1)
            place.change("logout 2", 2, mustBeDurable: true)
            await #expect(place.next(1) == ["refresh 1"])
            try await place.untilCommitsWait(2)
            // No connection is left for it.
            place.change("logout 3", 3, mustBeDurable: true)
            place.change("refresh 4", 4)
            place.change("refresh 5", 5)
            await #expect(place.next(2) == ["refresh 4", "refresh 5"])
            #expect(try await place.changes(5) == 1)
            let first = place.sessions[0].id
            let found = try await withCheckedThrowingContinuation { continuation in
                place.database.query(
                    { try SessionTable.find(first, in: $0) },
                    completion: { continuation.resume(with: $0) }
                )
            }
            // No change is visible before the standby has it.
            #expect(found?.rotation.next == place.sessions[0].rotation.next)

            try await place.forgetStandby()
            await #expect(place.next(3) == ["logout 0", "logout 2", "logout 3"])
            for session in 0..<6 { #expect(try await place.changes(session) == 1) }
        }
    }

    @Test func `a change that waits for the standby delays later changes of its session only`() async throws {
        try await Place.run(sessions: 2) { place in
            try await place.loseStandby()
            place.change("logout", 0, mustBeDurable: true)
            try await place.untilCommitsWait(1)
            for number in 0..<3 { place.change("later \(number)", 0) }
            place.change("refresh", 1)
            await #expect(place.next(1) == ["refresh"])
            try await place.forgetStandby()
            await #expect(place.next(4) == ["later 0", "later 1", "later 2", "logout"])
            #expect(try await place.changes(0) == 4)
        }
    }

    @Test func `a stopping server fails durable changes that wait for the standby, but no refreshes`() async throws {
        try await Place.run(sessions: 5) { place in
            try await place.loseStandby()
            place.change("logout 0", 0, mustBeDurable: true)
            try await place.untilCommitsWait(1)
            place.change("logout 1", 1, mustBeDurable: true)
            try await place.untilCommitsWait(2)
            // No connection is left for it.
            place.change("logout 2", 2, mustBeDurable: true)
            place.database.failWaitingCommits()
            let failed = await place.next(3)
            for (number, answer) in failed.enumerated() { #expect(answer.hasPrefix("logout \(number): ")) }
            place.change("refresh 3", 3)
            await #expect(place.next(1) == ["refresh 3"])
            #expect(try await place.changes(3) == 1)
            // PostgreSQL has cancelled nothing.
            try await place.untilCommitsWait(2)
            #expect(try await place.changes(0) == 0)
            place.change("logout 4", 4, mustBeDurable: true)
            #expect(await place.next(1).first?.hasPrefix("logout 4: ") == true)
            // `run` closes the database.
        }
    }

    @Test func `a row that another server has locked delays a batch of rotations only briefly`() async throws {
        try await Place.run(sessions: 3) { place in
            // The change that another server has not committed yet.
            let other = try PostgresConnection(place.configuration)
            try other.run("BEGIN")
            let id = place.sessions[0].id
            _ = try other.row("SELECT cur FROM sessions WHERE id = ? FOR UPDATE", [id]) { try $0[0] as Int64 }
            place.change("held", 0)
            place.change("first", 1)
            await #expect(place.next(1) == ["first"])
            // The held one waits elsewhere, and later ones of its session with it.
            place.change("held, too", 0)
            place.change("second", 2)
            await #expect(place.next(1) == ["second"])
            try other.run("ROLLBACK")
            await #expect(place.next(2) == ["held", "held, too"])
            #expect(try await place.changes(0) == 2)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import PostgresCluster
import Testing

/// A PostgreSQL that dies under load, with a standby that has every durable commit and one that may be late.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct `Failover` {
    /// The number of failovers that Scripts/failover requests; its load would starve tests that run beside it.
    static let wanted = Int(ProcessInfo.processInfo.environment["FRESHET_FAILOVERS"] ?? "") ?? 0
    static let rounds = Array(0..<wanted)

    @Test(.enabled(if: wanted > 0, "Scripts/failover runs it"), arguments: rounds)
    func `a failover signs no user out, revives no ended session, and hides no fork`(round: Int) async throws {
        let primary = try PostgresCluster()
        defer { primary.stop() }
        let database = try primary.database()
        let heir = try PostgresCluster(following: primary, as: "heir")
        defer { heir.stop() }
        let late = try PostgresCluster(following: primary, as: "late")
        defer { late.stop() }
        try primary.wait(for: "heir")
        let hosts = [primary, heir, late].map(\.host).joined(separator: ",")
        let address = database.replacing("host=\(primary.host)", with: "host=\(hosts)")
        try await TestEnvironment.live(on: address) { world in
            let load = try await FailoverLoad(on: world)
            try await load.run {
                try primary.shoot()
                try heir.promote()
                // The server is not notified: it finds the host that accepts writes.
                try await load.goesOn()
            }
            try await load.judge()
            print("round \(round): \(load.summary)")
        }
    }

    @Test(.enabled(if: wanted > 0, "Scripts/failover runs it"))
    func `a lost synchronous standby delays sign-outs, but neither refreshes nor reads`() async throws {
        let primary = try PostgresCluster()
        defer { primary.stop() }
        try await TestEnvironment.live(on: primary.database()) { world in
            let load = try await FailoverLoad(on: world)
            try await load.run {
                try primary.loseStandby()
                try primary.waitUntilCommitsWait(1)
                let ended = load.history.ended.count
                try await load.goesOn(ends: 0)
                try await load.asksUntil(200, within: .seconds(10))
                // The sign-out that was on its way may have been the last without a standby.
                #expect(load.history.ended.count <= ended + 1)
                try primary.forgetStandby()
                try await load.goesOn()
            }
            try await load.judge()
            print("lost standby: \(load.summary)")
        }
    }
}

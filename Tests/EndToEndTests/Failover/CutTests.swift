// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import PostgresCluster
import Testing

@testable import freshet

/// A network that fails between the server and its PostgreSQL under load: packets are dropped, and nobody is told.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct `Cut` {
    /// The number of cuts that Scripts/failover --cut requests; its load would starve tests that run beside it.
    static let wanted = Int(ProcessInfo.processInfo.environment["FRESHET_CUTS"] ?? "") ?? 0
    static let rounds = Array(0..<wanted)
    static let isPermitted = wanted == 0 || NodeNetwork.isPermitted

    /// A primary and its synchronous standby, each on a node of its own.
    private struct Pair {
        let network: NodeNetwork
        let node: NodeNetwork.Node
        let primary: PostgresCluster
        let heir: PostgresCluster
        let database: String

        /// The database's address with both hosts in it, the primary first.
        var address: String {
            primary.address(database).replacing("host=\(primary.host)", with: "host=\(primary.host),\(heir.host)")
        }

        /// The sessions on the primary, for comparison.
        func sessionsOfThePrimary() throws -> String {
            try primary.answer("SELECT count(*), sum(hashtext(s::text)) FROM sessions s", in: database)
        }

        /// Starts both, lets `body` work with them, and takes everything down.
        static func live(_ body: (Pair) async throws -> Void) async throws {
            let network = try NodeNetwork()
            defer { network.remove() }
            let node = try network.node()
            let primary = try PostgresCluster(on: node)
            defer { primary.stop() }
            let database = try primary.newDatabase()
            let heir = try PostgresCluster(following: primary, as: "heir", on: try network.node())
            defer { heir.stop() }
            try primary.wait(for: "heir")
            try await body(Pair(network: network, node: node, primary: primary, heir: heir, database: database))
        }
    }

    @Test(
        .enabled(if: wanted > 0, "Scripts/failover --cut runs it"),
        .enabled(if: isPermitted, "needs root and iproute2, to make network namespaces"),
        arguments: rounds
    )
    func `a short or long network cut to the primary that ends by itself signs no user out`(round: Int) async throws {
        try await Pair.live { pair in
            try await TestEnvironment.live(on: pair.address) { world in
                let load = try await FailoverLoad(on: world)
                try await load.run {
                    try pair.network.cut(pair.node)
                    // Short: somebody waits in vain, and no connection has been given up.
                    try await load.asksUntil(nil, within: .seconds(2))
                    try pair.network.heal(pair.node)
                    try await load.goesOn()
                    try pair.network.cut(pair.node)
                    // Long: the server gave its connections up, says so, and finds nobody who takes writes.
                    let start = ContinuousClock.now
                    try await load.asksUntil(503, within: .seconds(30))
                    print("cut \(round): 503 \(seconds(since: start)) s later")
                    try pair.network.heal(pair.node)
                    let healing = ContinuousClock.now
                    try await load.goesOn()
                    print("cut \(round): at work again \(seconds(since: healing)) s after its end")
                }
                try await load.judge()
                print("cut \(round): healed, \(load.summary)")
            }
        }
    }

    @Test(
        .enabled(if: wanted > 0, "Scripts/failover --cut runs it"),
        .enabled(if: isPermitted, "needs root and iproute2, to make network namespaces"),
        arguments: rounds
    )
    func `a promotion during a network cut to a running primary revives no ended session`(
        round: Int
    ) async throws {
        try await Pair.live { pair in
            try await TestEnvironment.live(on: pair.address) { world in
                let load = try await FailoverLoad(on: world)
                try await load.run {
                    // Sessions that the old primary will believe to be alive.
                    var known: [String] = []
                    for _ in 0..<4 { known.append(try await load.signUp()) }
                    try pair.network.cut(pair.node)
                    let start = ContinuousClock.now
                    try pair.heir.promote()
                    try await load.goesOn()
                    print("cut \(round): at work with the promoted node \(seconds(since: start)) s later")
                    for token in known { try await load.end(token) }
                    try pair.primary.fence()
                    let left = try pair.sessionsOfThePrimary()
                    try pair.network.heal(pair.node)
                    try await load.goesOn()
                    // A server that connects again tries the old primary first.
                    try pair.heir.disconnectServers()
                    try await load.goesOn()
                    #expect(try pair.sessionsOfThePrimary() == left)
                }
                try await load.judge()
                print("cut \(round): promoted, \(load.summary)")
            }
        }
    }

    /// An operator promotes a standby while the old primary still runs; docs/handbook/databases.md warns of it.
    @Test(
        .enabled(if: wanted > 0, "Scripts/failover --cut runs it"),
        .enabled(if: isPermitted, "needs root and iproute2, to make network namespaces"),
        arguments: rounds
    )
    func `a network cut to an unfenced primary signs no user out and revives no ended session`(round: Int) async throws
    {
        try await Pair.live { pair in
            try await TestEnvironment.live(on: pair.address) { world in
                let load = try await FailoverLoad(on: world)
                let raw = RawRequest(server: try world.address)
                var known: [String] = []
                try await load.run {
                    for _ in 0..<8 { known.append(try await load.signUp()) }
                    try pair.network.cut(pair.node)
                    try pair.heir.promote()
                    try await load.goesOn()
                    for token in known { try await load.end(token) }
                    try pair.network.heal(pair.node)
                    try pair.heir.disconnectServers()
                    // The server connects to the old primary, which comes first and takes writes. Sessions are refreshed
                    // there; no sign-in and no ending is answered, for its standby is gone.
                    let before = load.history.ended.count
                    try await load.goesOn(ends: 0)
                    // The old primary knows none of these ends. The server does, and stores each again, which is not answered,
                    // either.
                    for token in known {
                        let answer = try? await raw.refresh(token, .random()).answer
                        try Task.checkCancellation()
                        #expect(answer?.status != 200, "an ended session was refreshed")
                    }
                    print("cut \(round): \(load.history.ended.count - before) endings answered by the old primary")
                    try pair.primary.fence()
                    try await load.goesOn()
                }
                try await load.judge()
                print("cut \(round): not fenced, \(load.summary)")
            }
        }
    }

    /// For the record; nothing is judged by it.
    private func seconds(since start: ContinuousClock.Instant) -> Int64 {
        (ContinuousClock.now - start).components.seconds
    }
}

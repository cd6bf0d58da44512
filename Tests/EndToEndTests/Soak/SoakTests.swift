// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import PostgresCluster
import Testing

@testable import freshet

/// Servers and sessions that run for hours.
@Suite(.serialized)
struct `Soak` {
    private static let environment = ProcessInfo.processInfo.environment
    /// The number of lines of figures that Scripts/soak requests, and the time between two.
    static let wanted = Int(environment["FRESHET_SOAK_LINES"] ?? "") ?? 0
    private static let interval = Int(environment["FRESHET_SOAK_INTERVAL"] ?? "") ?? 60
    private static let sessions = Int(environment["FRESHET_SOAK_SESSIONS"] ?? "") ?? 2000
    /// A fault that the checks have to find: `descriptors`, `memory` or `sign-out`.
    private static let fault = environment["FRESHET_SOAK_FAULT"]

    @Test(.enabled(if: wanted > 0, "Scripts/soak runs it"))
    func `servers and sessions use no more memory or descriptors over hours, and no session is signed out`()
        async throws
    {
        let file = URL(filePath: try #require(Self.environment["FRESHET_SOAK_FILE"]))
        let earlier = try Self.figures(in: file)
        let output = try FileHandle(forWritingTo: file)
        try output.seekToEnd()

        let primary = try PostgresCluster()
        defer { primary.stop() }
        let database = try primary.database()
        let standby = try PostgresCluster(following: primary, as: "standby")
        defer { standby.stop() }
        let folder = try DataFolderServer(database: database)
        var servers: [RunningServer] = []
        var networks: [FaultyNetwork] = []
        for _ in 0..<2 {
            let server = try await folder.start(["--access-ttl", "1m", "--log-level", "warning"])
            let port = try #require(URL(string: server.address)?.port)
            servers.append(server)
            networks.append(try await FaultyNetwork.open(to: port, recordsRefreshes: false))
        }
        let processes = servers.map(\.process.id) + [getpid()]

        let load = try await SoakLoad(Self.sessions, over: networks)
        var leaked: [FileHandle] = []
        var ballast: [[UInt8]] = []
        try await load.run {
            for number in earlier.count..<max(earlier.count, Self.wanted) {
                try await Task.sleep(for: .seconds(Self.interval))
                if Self.fault == "descriptors" {
                    for _ in 0..<16 { leaked.append(try FileHandle(forReadingFrom: URL(filePath: "/dev/null"))) }
                }
                if Self.fault == "memory" { ballast.append([UInt8](repeating: 1, count: 16 << 20)) }
                if Self.fault == "sign-out", number == Self.wanted / 2 { try await load.signOneOut() }
                let measured = try processes.map(SoakFigures.measure)
                let figures = SoakFigures(
                    part: (earlier.last?.part ?? 0) + 1,
                    memory: measured.map(\.memory),
                    descriptors: measured.map(\.descriptors),
                    answered: load.now.answered,
                    failed: load.now.failed,
                    dropped: networks.map(\.counts.answersLost).reduce(0, +),
                    signedOut: load.signedOut
                )
                try output.write(contentsOf: Data((figures.line + "\n").utf8))
            }
        }
        withExtendedLifetime((leaked, ballast)) {}
        let unusable = await load.unusable()
        for network in networks { await network.close() }
        for server in servers { await server.process.terminate() }

        #expect(unusable == 0)
        #expect(load.signedOut == 0)
        let report = SoakReport(try Self.figures(in: file))
        #expect(report.violations == [])
        print(report.table)
    }

    private static func figures(in file: URL) throws -> [SoakFigures] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { SoakFigures(line: $0) }
    }
}

/// The checks of a soak's figures, without a soak.
@Suite struct `Soak report` {
    private func rows(_ count: Int = 16, part: Int = 1, _ change: (inout SoakFigures, Int) -> Void) -> [SoakFigures] {
        (0..<count).map { number in
            var figures = SoakFigures(
                part: part,
                memory: [100_000, 100_000, 200_000],
                descriptors: [100, 100, 1000],
                answered: number + 1,
                failed: 0,
                dropped: 0,
                signedOut: 0
            )
            change(&figures, number)
            return figures
        }
    }

    @Test func `flat figures and a single peak of a soak are no violation`() {
        #expect(SoakReport(rows { _, _ in }).violations == [])
        #expect(SoakReport(rows { if $1 == 14 { $0.memory[0] *= 2 } }).violations == [])
        // A first quarter that still grows.
        #expect(SoakReport(rows { $0.memory[0] -= max(0, 4 - $1) * 10_000 }).violations == [])
    }

    @Test func `a soak finds memory and descriptors that grow, and a session that was signed out`() {
        #expect(SoakReport(rows { $0.memory[2] += $1 * 2000 }).violations.count == 1)
        #expect(SoakReport(rows { $0.descriptors[1] += $1 * 4 }).violations.count == 1)
        #expect(SoakReport(rows { if $1 > 8 { $0.signedOut = 1 } }).violations == ["sessions were signed out"])
        #expect(SoakReport(rows { figures, _ in figures.answered = 0 }).violations == ["no call was answered"])
        #expect(SoakReport(rows(7) { _, _ in }).violations.count == 1)
    }

    @Test func `parts of a soak that was interrupted are not compared with each other`() {
        let all = rows(9) { figures, _ in figures.memory[0] /= 2 } + rows(12, part: 2) { _, _ in }
        #expect(SoakReport(all).violations == [])
        #expect(all.compactMap { SoakFigures(line: $0.line) } == all)
        #expect(SoakFigures(line: "1\t2\t3") == nil)
    }
}

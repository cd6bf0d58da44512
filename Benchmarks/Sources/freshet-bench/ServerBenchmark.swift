// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import LoadGenerator

/// Measures the cost of refreshes and verified requests on a running server.
struct ServerBenchmark {
    var options: Options.Server
    var seconds: Double
    var rounds: Int

    struct Result: Codable {
        var sessions: Int
        var refresh: [Row]
        var verifiedGet: [Row]
        /// The load generator's results against the smallest possible server.
        var ceiling: [Row]
        var residentMegabytes: Double
    }

    /// One operation at one number of connections: medians over the rounds.
    struct Row: Codable {
        var connections: Int
        var perSecond: Double
        var serverMicroseconds: Double?
        var loadMicroseconds: Double
        var medianMilliseconds: Double
        var p99Milliseconds: Double
        var errors: Int

        init(_ runs: [LoadRun]) {
            func median(_ value: (LoadRun) -> Double?) -> Double? { runs.compactMap(value).quantile(0.5) }
            connections = runs.first?.connections ?? 0
            perSecond = median { $0.perSecond } ?? 0
            serverMicroseconds = median { $0.serverMicroseconds }
            loadMicroseconds = median { $0.loadMicroseconds } ?? 0
            medianMilliseconds = median { $0.medianMilliseconds } ?? 0
            p99Milliseconds = median { $0.p99Milliseconds } ?? 0
            errors = runs.map(\.errors).reduce(0, +)
        }
    }

    private static let connections = [1, 16, 64]

    func run() throws -> Result {
        guard let clock = CPUClock(process: options.process) else {
            throw BenchmarkError("there is no process \(options.process)")
        }
        let kept = LoadSessions(count: options.sessions, port: options.port)
        try signIn(kept)

        var refresh: [Int: [LoadRun]] = [:]
        var verifiedGet: [Int: [LoadRun]] = [:]
        for round in 1...rounds {
            for count in Self.connections {
                Progress.show("round \(round) of \(rounds): \(count) connections")
                refresh[count, default: []].append(try measure(RefreshLoad(kept), count, clock))
                verifiedGet[count, default: []].append(try measure(VerifiedGetLoad(kept), count, clock))
            }
        }
        if let refusal = kept.firstRefusal { throw BenchmarkError("the server refused: \(refusal)") }
        try checkThatOldTokensAreRefused(kept)
        return Result(
            sessions: options.sessions,
            refresh: Self.connections.map { Row(refresh[$0] ?? []) },
            verifiedGet: Self.connections.map { Row(verifiedGet[$0] ?? []) },
            ceiling: try ceiling(),
            residentMegabytes: residentMegabytes()
        )
    }

    private func measure(_ load: some Workload, _ connections: Int, _ clock: CPUClock) throws -> LoadRun {
        try ClosedLoop(load, port: options.port, connections: connections)
            .measure(warmUp: min(1, seconds / 4), seconds: seconds, server: clock)
    }

    private func signIn(_ kept: LoadSessions) throws {
        Progress.show("signing in \(options.sessions) sessions")
        let requests = CodeRequestLoad(kept)
        let unsent = try ClosedLoop.once(requests, port: options.port, connections: 16)
        let codes = try LoginCodes.read(from: options.log)
        let logins = try CodeVerificationLoad(kept, attempts: requests.attempts, codes: codes)
        let failed = try ClosedLoop.once(logins, port: options.port, connections: 16)
        guard unsent + failed == 0 else {
            throw BenchmarkError("signing in failed: \(kept.firstRefusal ?? "connections broke")")
        }
    }

    /// A server that does not rotate would be faster, and not worth measuring.
    private func checkThatOldTokensAreRefused(_ kept: LoadSessions) throws {
        let old = LoadSessions(count: 1, port: options.port)
        old.sessions[0] = kept.sessions[0]
        let loop = RefreshLoad(old)
        var refused = 0
        for _ in 0..<2 { refused += try ClosedLoop.once(loop, port: options.port, connections: 1) }
        old.sessions[0] = kept.sessions[0]
        let stale = try ClosedLoop.once(loop, port: options.port, connections: 1)
        guard refused == 0, stale == 1, old.firstRefusal?.hasPrefix("409") == true else {
            throw BenchmarkError("an old refresh token was not refused as superseded")
        }
    }

    private func ceiling() throws -> [Row] {
        Progress.show("the load generator against a server that does nothing")
        let responder = try Responder.Child()
        defer { responder.stop() }
        let load = VerifiedGetLoad(LoadSessions(count: 64, port: responder.port))
        return try Self.connections.map { count in
            let loop = try ClosedLoop(load, port: responder.port, connections: count)
            return Row([try loop.measure(warmUp: 0.2, seconds: 1, server: nil)])
        }
    }

    private func residentMegabytes() -> Double {
        let status = (try? String(contentsOfFile: "/proc/\(options.process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Double($0) } ?? 0) / 1024
    }
}

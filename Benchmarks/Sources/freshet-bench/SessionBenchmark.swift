// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import LoadGenerator

/// Measures a session that sends nothing: returning its token, many callers at its expiry, and its memory.
struct SessionBenchmark {
    let url: URL
    var rounds: Int

    struct Result: Codable {
        /// `AuthSession.accessToken()` while the token is good, in microseconds of CPU.
        var tokenMicroseconds: Double
        /// The time that each of a thousand callers adds to a refresh when the token has expired.
        var crowdMicroseconds: Double
        /// Resident memory of a session that is signed in and does nothing.
        var idleBytes: Double
    }

    private static let crowd = 1000

    func run() async throws -> Result {
        Result(
            tokenMicroseconds: try await tokenCost(),
            crowdMicroseconds: try await crowdCost(),
            idleBytes: try await idleSize()
        )
    }

    private func tokenCost() async throws -> Double {
        let session = try await signedIn(for: .seconds(3600), expiresIn: 3600)
        let count = 256 * 1024
        var costs: [Double] = []
        for _ in 0...3 * rounds {
            let start = CPUClock.own.microseconds
            for _ in 0..<count { _ = try await session.accessToken() }
            costs.append((CPUClock.own.microseconds - start) / Double(count))
        }
        // The first round is for warming up.
        return Array(costs.dropFirst()).quantile(0.5) ?? 0
    }

    /// A thousand callers beside one, for the same refresh, without what a thousand tasks cost that do nothing.
    private func crowdCost() async throws -> Double {
        var costs: [Double] = []
        for _ in 0..<3 * rounds {
            let alone = try await expiry(callers: 1)
            let together = try await expiry(callers: Self.crowd)
            let tasks = await idleTasks(Self.crowd)
            costs.append((together - tasks - alone) / Double(Self.crowd - 1))
        }
        return costs.quantile(0.5) ?? 0
    }

    /// The CPU of tasks that are the app's own.
    private func idleTasks(_ count: Int) async -> Double {
        let start = CPUClock.own.microseconds
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask {} }
            await group.waitForAll()
        }
        return CPUClock.own.microseconds - start
    }

    /// The CPU of one refresh that `callers` wait for.
    private func expiry(callers: Int) async throws -> Double {
        let session = try await signedIn(for: .milliseconds(1), expiresIn: 3600)
        // A second is the least that a token is taken to live; there is no event for its end.
        try await Task.sleep(for: .milliseconds(1100))
        let start = CPUClock.own.microseconds
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<callers { group.addTask { _ = try await session.accessToken() } }
            try await group.waitForAll()
        }
        return CPUClock.own.microseconds - start
    }

    private func idleSize() async throws -> Double {
        let count = 2000
        var sessions: [AuthSession] = []
        for _ in 0..<200 { sessions.append(try await signedIn(for: .seconds(3600), expiresIn: 3600)) }
        let before = try Self.residentBytes()
        for _ in 0..<count { sessions.append(try await signedIn(for: .seconds(3600), expiresIn: 3600)) }
        let after = try Self.residentBytes()
        return withExtendedLifetime(sessions) { Double(after - before) / Double(count) }
    }

    private func signedIn(for lifetime: Duration, expiresIn: Int) async throws -> AuthSession {
        let grant = """
            {"access_token":"\(String(repeating: "n", count: 400))","token_type":"Bearer","expires_in":\(expiresIn),\
            "refresh_token":"r"}
            """
        let token = String(repeating: "t", count: 400)
        return try await AuthSession.bench(
            at: url,
            over: AnswersAtOnce(url, body: grant),
            with: TokenGrant(accessToken: token, refreshToken: "r", expiresIn: lifetime)
        )
    }

    private static func residentBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        guard let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw BenchmarkError("the system does not tell how large this process is")
        }
        return pages * 4096
    }
}

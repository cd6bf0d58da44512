// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAsyncHTTPClient
import FreshetKit
import LoadGenerator

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Measures the CPU time of this process while a transport waits for a response.
///
/// On Linux, Foundation's `URLSession` polls for as long as any request is under way.
struct WaitingBenchmark {
    struct Row: Codable {
        var transport: String
        /// CPU time divided by the time that passed.
        var cores: Double
    }

    /// Measured for this long.
    private static let time: Duration = .seconds(2)

    func run() async throws -> [Row] {
        // The system accepts the connection, and nobody ever answers.
        let (listener, port) = try LoopbackSocket.listening()
        defer { listener.close() }
        guard let url = URL(string: "http://127.0.0.1:\(port)/") else { throw BenchmarkError("no URL") }
        let client = AsyncHTTPClientTransport()
        let rows = [
            Row(transport: "none", cores: try await cores()),
            Row(transport: "URLSession", cores: try await cores(waitingFor: url, by: URLSessionTransport())),
            Row(transport: "AsyncHTTPClient", cores: try await cores(waitingFor: url, by: client)),
        ]
        try await client.shutdown()
        return rows
    }

    private func cores(waitingFor url: URL, by transport: any HTTPTransport) async throws -> Double {
        let request = Task { try await transport.data(for: URLRequest(url: url)) }
        defer { request.cancel() }
        // Connecting is not waiting.
        try await Task.sleep(for: .milliseconds(200))
        return try await cores()
    }

    private func cores() async throws -> Double {
        let (cpu, start) = (CPUClock.own.microseconds, ContinuousClock.now)
        try await Task.sleep(for: Self.time)
        return (CPUClock.own.microseconds - cpu) / 1_000_000 / ((ContinuousClock.now - start) / .seconds(1))
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetOutbox
import LoadGenerator

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Measures the durable storage of requests of 1 KB, one by one and a hundred together.
struct OutboxBenchmark {
    let url: URL

    struct Result: Codable {
        var one: Cost
        /// For each of a hundred that are put down together.
        var ofHundred: Cost
    }

    struct Cost: Codable {
        var cpuMicroseconds: Double
        /// The disk's part of it is the wait for `fsync`.
        var elapsedMicroseconds: Double
    }

    func run() async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-bench-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let session = try await AuthSession.bench(
            at: url,
            over: NeverAnswers(),
            with: TokenGrant(accessToken: "t", refreshToken: "r", expiresIn: .seconds(3600), userID: "u")
        )
        let outbox = try session.outbox(directory: folder)
        var request = URLRequest(url: url.appending(path: "notes"))
        request.httpMethod = "POST"
        request.httpBody = Data(repeating: 0x61, count: 1024)
        let some = Array(repeating: request, count: 100)
        _ = try await outbox.enqueue(request, lane: "warm")
        return Result(
            one: try await cost(of: 200) { [request] in
                for _ in 0..<200 { _ = try await outbox.enqueue(request, lane: "notes") }
            },
            ofHundred: try await cost(of: 1000) {
                for _ in 0..<10 { _ = try await outbox.enqueue(contentsOf: some, lane: "notes") }
            }
        )
    }

    private func cost(of count: Double, _ body: () async throws -> Void) async throws -> Cost {
        let (cpu, start) = (CPUClock.own.microseconds, ContinuousClock.now)
        try await body()
        let elapsed = ContinuousClock.now - start
        return Cost(
            cpuMicroseconds: (CPUClock.own.microseconds - cpu) / count,
            elapsedMicroseconds: elapsed / .microseconds(1) / count
        )
    }

    /// A server that is there and says nothing, so that only the putting down is measured.
    private struct NeverAnswers: HTTPTransport {
        func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) { throw await hang() }

        func exchange(_ request: URLRequest, deadline: Duration) async throws -> (Data, HTTPURLResponse) {
            throw await hang()
        }

        private func hang() async -> any Error {
            try? await Task.sleep(for: .seconds(86_400))
            return CancellationError()
        }
    }
}

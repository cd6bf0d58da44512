// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import LoadGenerator

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Measures the CPU time of this process that a session adds to a request; the server is another process.
struct SDKBenchmark {
    var rounds: Int

    struct Result: Codable {
        /// Beside URLSession, over real sockets.
        var overURLSession: [Row]
        /// Beside `URLSession.data(for:)`, which on Linux nobody can cancel safely.
        var overShortURLSession: [Row]
        /// `AsyncHTTPClientTransport.execute(_:for:)` beside `HTTPClient.execute(_:)`, over real sockets.
        var overAsyncHTTPClient: [Row]
        /// Beside a transport that answers at once: URLSession's own unsteadiness is not in these.
        var overNothing: [Row]
        /// The cost of `URLRequest.setValue(_:forHTTPHeaderField:)` for the token, as in an app without the SDK.
        var headerAlone: Row
        /// Decoding and classifying an answer of 1 KB: a session that looks into it beside one that does not.
        var reply: Row
        /// A whole refresh with such an answer, but for the network.
        var refresh: Row
        /// The costs of a session that sends nothing.
        var alone: SessionBenchmark.Result
        var outbox: OutboxBenchmark.Result
        /// The cost of each transport while it waits for a response.
        var waiting: [WaitingBenchmark.Row]
    }

    struct Row: Codable {
        var callers: Int
        var requests: Int
        var bareMicroseconds: Double
        var sessionMicroseconds: Double
        /// The median of the differences between neighbours; it is not the difference of the medians.
        var addedMicroseconds: Double
        var lowerQuartile: Double
        var upperQuartile: Double
    }

    func run() async throws -> Result {
        let responder = try Responder.Child()
        defer { responder.stop() }
        let subjects = try await SDKSubjects(port: responder.port)
        let (url, request) = (subjects.url, subjects.request)

        Progress.show("the SDK beside URLSession")
        var (overURLSession, overShortURLSession): ([Row], [Row]) = ([], [])
        for callers in [1, 64] {
            func row(_ bare: CountedCalls.Kind) async throws -> Row {
                try await compare(
                    callers: callers,
                    requests: 256,
                    rounds: 12 * rounds,
                    bare: subjects.call(bare),
                    session: subjects.call(.sessionOverURLSession)
                )
            }
            overURLSession.append(try await row(.delegatedURLSession))
            overShortURLSession.append(try await row(.urlSession))
        }

        Progress.show("the SDK beside AsyncHTTPClient")
        var overAsyncHTTPClient: [Row] = []
        for callers in [1, 64] {
            overAsyncHTTPClient.append(
                try await compare(
                    callers: callers,
                    requests: 512,
                    rounds: 12 * rounds,
                    bare: subjects.call(.httpClient),
                    session: subjects.call(.sessionOverHTTPClient)
                )
            )
        }
        try await subjects.shutDown()

        Progress.show("the SDK beside a transport that answers at once")
        let nothing = try AnswersAtOnce(url)
        let overNothing = try await SDKSubjects.signedIn(at: url, over: nothing)
        var rows: [Row] = []
        for callers in [1, 64] {
            rows.append(
                try await compare(
                    callers: callers,
                    requests: 16 * 1024,
                    rounds: 3 * rounds,
                    bare: { _ = try await nothing.data(for: subjects.authorized) },
                    session: { _ = try await overNothing.data(for: request) }
                )
            )
        }
        let headerAlone = try await compare(
            callers: 1,
            requests: 16 * 1024,
            rounds: 3 * rounds,
            bare: {},
            session: { subjects.setHeader() }
        )
        Progress.show("what an answer of 1 KB costs")
        let replies = ReplyBenchmark(url: url)
        let (careless, careful) = (
            try await replies.session(looksInto: false), try await replies.session(looksInto: true)
        )
        let reply = try await compare(
            callers: 1,
            requests: 8 * 1024,
            rounds: 3 * rounds,
            bare: { _ = try await careless.data(for: request) },
            session: { _ = try await careful.data(for: request) }
        )
        let refresh = try await compare(
            callers: 1,
            requests: 4 * 1024,
            rounds: rounds,
            bare: {},
            session: { try await careless.refresh() }
        )
        Progress.show("tokens, crowds and idle sessions")
        let alone = try await SessionBenchmark(url: url, rounds: rounds).run()
        Progress.show("the outbox")
        let outbox = try await OutboxBenchmark(url: url).run()
        Progress.show("waiting for a response")
        let waiting = try await WaitingBenchmark().run()
        return Result(
            overURLSession: overURLSession,
            overShortURLSession: overShortURLSession,
            overAsyncHTTPClient: overAsyncHTTPClient,
            overNothing: rows,
            headerAlone: headerAlone,
            reply: reply,
            refresh: refresh,
            alone: alone,
            outbox: outbox,
            waiting: waiting
        )
    }

    /// A B A B: neighbours in time, so that a machine that becomes slower harms both alike.
    private func compare(
        callers: Int,
        requests: Int,
        rounds: Int,
        bare: @escaping @Sendable () async throws -> Void,
        session: @escaping @Sendable () async throws -> Void
    ) async throws -> Row {
        _ = try await cost(callers, requests / 4, bare)
        _ = try await cost(callers, requests / 4, session)
        var costs: (bare: [Double], session: [Double]) = ([], [])
        for round in 0..<rounds {
            // Neither is always the first.
            if round.isMultiple(of: 2) {
                costs.bare.append(try await cost(callers, requests, bare))
                costs.session.append(try await cost(callers, requests, session))
            } else {
                costs.session.append(try await cost(callers, requests, session))
                costs.bare.append(try await cost(callers, requests, bare))
            }
        }
        let added = zip(costs.session, costs.bare).map { $0 - $1 }
        return Row(
            callers: callers,
            requests: requests * rounds,
            bareMicroseconds: costs.bare.quantile(0.5) ?? 0,
            sessionMicroseconds: costs.session.quantile(0.5) ?? 0,
            addedMicroseconds: added.quantile(0.5) ?? 0,
            lowerQuartile: added.quantile(0.25) ?? 0,
            upperQuartile: added.quantile(0.75) ?? 0
        )
    }

    /// Microseconds of CPU a request, of all threads of this process.
    private func cost(
        _ callers: Int,
        _ requests: Int,
        _ send: @escaping @Sendable () async throws -> Void
    ) async throws -> Double {
        let start = CPUClock.own.microseconds
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<callers {
                group.addTask {
                    for _ in 0..<requests / callers { try await send() }
                }
            }
            try await group.waitForAll()
        }
        return (CPUClock.own.microseconds - start) / Double(requests / callers * callers)
    }
}

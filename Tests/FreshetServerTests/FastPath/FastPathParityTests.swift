// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import HTTPTypes
import Testing

@testable import FreshetDatabase
@testable import FreshetHTTP
@testable import FreshetMetrics
@testable import FreshetServer

/// Everything that the fast path answers, sent its two ways and through the router: the answers differ in nothing but time and
/// chance.
@Suite(.timeLimit(.minutes(5)))
struct `Parity of the fast path and the router` {
    let server = ServerUnderTest()

    /// A walk of one session through everything that a refresh can come to.
    private enum Step: CaseIterable {
        case first, again, next, overtaken, overtakenAgain, withoutIntent, badIntent, badToken, forged
        case confirmed, confirmedAgain, confirmedLate, confirmedForged, bound, fork, over, confirmedOver, nothing

        var path: String {
            switch self {
            case .confirmed, .confirmedAgain, .confirmedLate, .confirmedForged, .confirmedOver: NativePath.confirm
            default: NativePath.refresh
            }
        }
    }

    private struct Outcome: Equatable {
        var status: Int
        var fields: [String]
        var body: [String: String]
    }

    /// The answers to a walk, with what time and chance make of them taken out.
    private func walk(
        _ caller: TestHTTPClient,
        _ name: String,
        send: (String, String) async throws -> TestHTTPClient.Answer
    ) async throws -> [Outcome] {
        let grant = try await caller.signUp("\(name)@example.com")
        let intent = Intent.random().text
        var tokens = [grant.refreshToken]
        var outcomes: [Outcome] = []
        for step in Step.allCases {
            let answer = try await send(step.path, body(step, tokens, intent))
            if let next: SessionTokens = try? answer.json() { tokens.append(next.refreshToken) }
            outcomes.append(try outcome(answer))
        }
        return outcomes
    }

    private func body(_ step: Step, _ tokens: [String], _ intent: String) -> String {
        let newest = tokens.last ?? ""
        switch step {
        case .first, .again, .overtaken, .overtakenAgain: return body(tokens[0], intent)
        case .next: return body(tokens[1], intent)
        case .withoutIntent: return body(newest, nil)
        case .badIntent: return body(newest, "no intent")
        case .badToken: return body("frt_!", intent)
        case .forged, .confirmedForged: return body(newest.dropLast(4) + "AAAA", intent)
        case .confirmed, .confirmedAgain, .confirmedOver: return body(newest, nil)
        case .confirmedLate: return body(tokens[0], nil)
        case .bound, .over: return body(newest, intent)
        case .fork: return body(tokens[3], Intent.random().text)
        case .nothing: return #"{"refresh":"x"}"#
        }
    }

    private func body(_ token: String, _ intent: String?) -> String {
        let end = intent.map { #","intent":"\#($0)""# } ?? ""
        return #"{"refresh_token":"\#(token)"\#(end)}"#
    }

    private func outcome(_ answer: TestHTTPClient.Answer, keepsUser: Bool = false) throws -> Outcome {
        var members: [String: Any] = [:]
        if !answer.body.isEmpty {
            members = try #require(try JSONSerialization.jsonObject(with: answer.body) as? [String: Any])
        }
        var chance: Set = ["access_token", "refresh_token", "server_time", "session_id", "request_id", "user"]
        if keepsUser { chance.subtract(["session_id", "user"]) }
        let body = members.map { name, value in
            let parts = (value as? [String: Any])?.sorted { $0.key < $1.key }
            return (name, chance.contains(name) ? "…" : parts.map { "\($0)" } ?? "\(value)")
        }
        return Outcome(
            status: answer.status,
            fields: answer.headers.map(\.name.canonicalName).sorted(),
            body: Dictionary(uniqueKeysWithValues: body)
        )
    }

    /// How many were taken on a way.
    private static func taken(_ caller: TestHTTPClient, _ way: FastPathEntry) -> Int {
        let lines = caller.parts.metrics.text.split(separator: "\n").filter {
            $0.hasPrefix("freshet_lane_requests_total{") && $0.contains("way=\"\(way.rawValue)\"")
        }
        return lines.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
    }

    /// Sends a request on a new connection, whose other end is closed when it is answered.
    private func sendDirectly(_ caller: TestHTTPClient, _ path: String, _ body: String) async throws
        -> TestHTTPClient.Answer
    {
        try await sendDirectly(
            caller,
            """
            POST \(path) HTTP/1.1\r
            Host: localhost\r
            Content-Type: application/json\r
            Content-Length: \(body.utf8.count)\r
            \r
            \(body)
            """
        )
    }

    private func sendDirectly(_ caller: TestHTTPClient, _ text: String) async throws -> TestHTTPClient.Answer {
        let port = try #require(caller.port)
        let answer = try await RawConnection.exchange(text, port: port, hangsUp: true)
        return try TestHTTPClient.Answer(response: answer)
    }

    @Test func `a refresh or confirm request gets the same response from the fast path and the router`() async throws {
        try await server.run { caller in
            let long = try await walk(caller, "long") {
                try await caller.send(.post, $0, $1, headers: [.contentType: "application/json; charset=utf-8"])
            }
            #expect(FastPathEntry.allCases.map { Self.taken(caller, $0) } == [0, 0])
            let refreshes = [200, 200, 200, 409, 409, 400, 400, 400, 400]
            #expect(long.map(\.status) == refreshes + [204, 204, 204, 400, 200, 400, 400, 400, 400])

            // All but the body without a token, the token that is none, and what is known to be overtaken, twice.
            let parts = try await walk(caller, "parts") { try await caller.send(.post, $0, $1) }
            #expect(FastPathEntry.allCases.map { Self.taken(caller, $0) } == [0, long.count - 4])
            let direct = try await walk(caller, "direct") { try await sendDirectly(caller, $0, $1) }
            #expect(FastPathEntry.allCases.map { Self.taken(caller, $0) } == [long.count - 4, long.count - 4])
            for (step, (one, other)) in zip(Step.allCases, zip(parts, long)) { #expect(one == other, "\(step)") }
            for (step, (one, other)) in zip(Step.allCases, zip(direct, long)) { #expect(one == other, "\(step)") }
        }
    }

    @Test func `a server without the fast path returns the same responses through its router`() async throws {
        let plain = ServerUnderTest()
        var configuration = plain.configuration
        configuration.operations.hasFastPath = false
        try await server.run { [configuration] caller in
            let fast = try await walk(caller, "ann") { try await sendDirectly(caller, $0, $1) }
            #expect(Self.taken(caller, .direct) == fast.count - 4)
            try await plain.run(configuration) { caller in
                let direct = try await walk(caller, "ann") { try await sendDirectly(caller, $0, $1) }
                let parts = try await walk(caller, "bob") { try await caller.send(.post, $0, $1) }
                for (step, (one, other)) in zip(Step.allCases, zip(direct, fast)) { #expect(one == other, "\(step)") }
                for (step, (one, other)) in zip(Step.allCases, zip(parts, fast)) { #expect(one == other, "\(step)") }
                #expect(FastPathEntry.allCases.map { Self.taken(caller, $0) } == [0, 0])
            }
        }
    }

    @Test func `a request for the current user gets the same response from the fast path and the router`() async throws
    {
        try await server.run { caller in
            let (ann, bob, eve) = (
                try await caller.signUp(), try await caller.signUp("bob@example.com"),
                try await caller.signUp("eve@example.com")
            )
            #expect(try await caller.present(NativePath.logout, bob.refreshToken).status == 204)
            let gone = try #require(UUID(uuidString: eve.user.id))
            try await caller.database.durably { try UserTable.delete(by: AccountAuthority(gone, by: .command), in: $0) }
            let bearers: [[String]] = [
                ["Bearer \(ann.accessToken)"], ["bearer \(ann.accessToken)"], [], ["Bearer"], ["Bearer x"],
                ["Basic \(ann.accessToken)"], ["Bearer \(ann.accessToken.dropLast(4))AAAA"],
                ["Bearer \(bob.accessToken)"], ["Bearer \(eve.accessToken)"], ["Bearer \(ann.refreshToken)"],
                ["Bearer \(ann.accessToken)", "Bearer \(ann.accessToken)"],
            ]
            var statuses: [Int] = []
            for values in bearers {
                var fields = HTTPFields()
                for value in values { fields.append(HTTPField(name: .authorization, value: value)) }
                let long = try outcome(
                    try await caller.send(.get, NativePath.me + "?", headers: fields),
                    keepsUser: true
                )
                let parts = try outcome(try await caller.send(.get, NativePath.me, headers: fields), keepsUser: true)
                let lines = ["GET \(NativePath.me) HTTP/1.1", "Host: x"] + values.map { "Authorization: \($0)" }
                let text = lines.joined(separator: "\r\n") + "\r\n\r\n"
                let direct = try outcome(try await sendDirectly(caller, text), keepsUser: true)
                #expect(parts == long && direct == long, "\(values)")
                statuses.append(long.status)
            }
            #expect(statuses == [200, 200, 401, 401, 401, 401, 401, 401, 401, 401, 400])
            #expect(FastPathEntry.allCases.map { Self.taken(caller, $0) } == [bearers.count, bearers.count])
        }
    }
}

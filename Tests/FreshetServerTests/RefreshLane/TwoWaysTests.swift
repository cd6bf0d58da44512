// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import HTTPTypes
import Testing

@testable import FreshetServer

/// Every kind of refresh and confirmation, sent once the short way and once through the router: the answers differ in nothing but time and chance.
@Suite(.timeLimit(.minutes(5)))
struct `Both ways of a presented token` {
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

    private static let lane: HTTPFields = [.contentType: "application/json"]
    private static let router: HTTPFields = [.contentType: "application/json; charset=utf-8"]

    /// The answers to a walk, with what time and chance make of them taken out.
    private func walk(_ caller: Caller, _ name: String, _ headers: HTTPFields) async throws -> [Outcome] {
        let grant = try await caller.signUp("\(name)@example.com")
        let intent = Intent.random().text
        var tokens = [grant.refreshToken]
        var outcomes: [Outcome] = []
        for step in Step.allCases {
            let answer = try await caller.send(
                .post,
                step.path,
                body(step, tokens, intent),
                headers: headers
            )
            if let next: Grant = try? answer.json() { tokens.append(next.refreshToken) }
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

    private func outcome(_ answer: Caller.Answer) throws -> Outcome {
        var members: [String: Any] = [:]
        if !answer.body.isEmpty {
            members = try #require(try JSONSerialization.jsonObject(with: answer.body) as? [String: Any])
        }
        let chance = ["access_token", "refresh_token", "server_time", "session_id", "request_id", "user"]
        let body = members.map { name, value in (name, chance.contains(name) ? "…" : "\(value)") }
        return Outcome(
            status: answer.status,
            fields: answer.headers.map { "\($0.name)" }.sorted(),
            body: Dictionary(uniqueKeysWithValues: body)
        )
    }

    /// How many took the lane.
    private static func taken(_ caller: Caller) -> Int {
        let counts = caller.parts.metrics.text.matches(of: /freshet_lane_requests_total{[^}]*} (\d+)/)
        return counts.compactMap { Int($0.1) }.reduce(0, +)
    }

    @Test func `end alike`() async throws {
        try await server.run { caller in
            let short = try await walk(caller, "short", Self.lane)
            let taken = Self.taken(caller)
            // All but the body without a token, the token that is none, and what is known to be overtaken, twice.
            #expect(taken == short.count - 4)
            let long = try await walk(caller, "long", Self.router)
            #expect(Self.taken(caller) == taken)
            let refreshes = [200, 200, 200, 409, 409, 400, 400, 400, 400]
            #expect(short.map(\.status) == refreshes + [204, 204, 204, 400, 200, 400, 400, 400, 400])
            for (step, (one, other)) in zip(Step.allCases, zip(short, long)) { #expect(one == other, "\(step)") }
        }
    }
}

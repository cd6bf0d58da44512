// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import ServerFixtures
import Testing

@testable import FreshetHTTP
@testable import FreshetIdentity
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `Request ids and traces` {
    let server = ServerUnderTest()
    private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    private func fields(_ id: String, _ parent: String? = nil) -> HTTPFields {
        var fields: HTTPFields = [.contentType: "application/json"]
        fields[.requestID] = id
        if let parent { fields[.traceParent] = parent }
        return fields
    }

    @Test func `request ids are the server's own unless a proxy is trusted, and are in response, error and log`()
        async throws
    {
        var trusting = server.configuration
        trusting.operations.trustsRequestID = true
        for (configuration, isTaken) in [(server.configuration, false), (trusting, true)] {
            try await server.run(configuration) { caller in
                let answer = try await caller.send(.get, "/nowhere", headers: fields("proxy-7.a_B"))
                let id = try answer.json(ErrorBody.self).requestID
                #expect(answer.headers[.requestID] == id)
                #expect((id == "proxy-7.a_B") == isTaken)
                #expect(caller.log.lines.contains { $0["message"] == "request" && $0["request_id"] == id })
            }
        }
    }

    @Test func `a malformed request id from a trusted proxy is replaced`() async throws {
        var trusting = server.configuration
        trusting.operations.trustsRequestID = true
        try await server.run(trusting) { caller in
            for hostile in ["a b", "\"},{\"", String(repeating: "a", count: 65), "a;b", "ä"] {
                let answer = try await caller.send(.get, NativePath.live, headers: fields(hostile))
                #expect(answer.headers[.requestID] != hostile)
                #expect(answer.headers[.requestID]?.isEmpty == false)
            }
        }
    }

    @Test func `a response's traceparent has the client's trace id and a new span id`() async throws {
        try await server.run { caller in
            let answer = try await caller.send(.get, NativePath.live, headers: fields("x", Self.parent))
            let own = try #require(answer.headers[.traceParent].flatMap { TraceParent($0) })
            #expect(own.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
            #expect(own.spanID != "00f067aa0ba902b7")
            #expect(own.flags == "01")
            let without = try await caller.send(.get, NativePath.live)
            #expect(without.headers[.traceParent] == nil)
        }
    }
}

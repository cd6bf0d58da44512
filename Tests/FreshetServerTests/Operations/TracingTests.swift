// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetSystem
import FreshetWire
import HTTPTypes
import Logging
import Testing

@testable import FreshetHTTP
@testable import FreshetIdentity
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `The names of a request` {
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

    @Test func `are never taken from a proxy that sends something else`() async throws {
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

    @Test func `go on with the caller's trace, under a span of the server's own`() async throws {
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

    @Test(arguments: [
        "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7", "ff-\(parent.dropFirst(3))",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", "\(parent)-x", parent.uppercased(),
        "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01", "00-\"}{\u{1}",
    ])
    func `are no trace where the field is not one`(text: String) {
        #expect(TraceParent(text) == nil)
    }

    @Test func `a later version of the field is read as far as it is known`() {
        #expect(TraceParent("01\(Self.parent.dropFirst(2))-more")?.flags == "01")
    }

    @Test func `request ids are in every log record of the request, with hostile text escaped`()
        async throws
    {
        let pipe = Pipe()
        var log = Logger(label: "l") {
            JSONLogHandler(label: $0, file: pipe.fileHandleForWriting, metadataProvider: .request)
        }
        log.logLevel = .debug
        let trace = RequestTrace(
            fields("id-1", Self.parent),
            ownID: "own\"}\n{",
            source: SourceAddress("127.0.0.1"),
            trustsID: false
        )
        RequestTrace.$current.withValue(trace) { log.notice("session ended", metadata: ["x": "\"}\n"]) }
        log.notice("outside")
        try pipe.fileHandleForWriting.close()
        let lines = String(decoding: try #require(try pipe.fileHandleForReading.readToEnd()), as: UTF8.self)
            .split(separator: "\n")
        #expect(lines.count == 2)
        let inside = try #require(try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: String])
        #expect(inside["request_id"] == "own\"}\n{")
        #expect(inside["trace_id"] == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(inside["span_id"]?.count == 16)
        #expect(!lines[1].contains("request_id"))
    }
}

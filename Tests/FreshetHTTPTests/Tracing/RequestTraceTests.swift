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

@Suite(.timeLimit(.minutes(5)))
struct `Request ids and traces` {
    private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    private func fields(_ id: String, _ parent: String? = nil) -> HTTPFields {
        var fields: HTTPFields = [.contentType: "application/json"]
        fields[.requestID] = id
        if let parent { fields[.traceParent] = parent }
        return fields
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

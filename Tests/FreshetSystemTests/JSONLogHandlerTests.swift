// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetSystem
import Logging
import Testing

@Suite struct `The JSON log` {
    @Test func `hostile text in a log record stays inside its JSON field`() throws {
        let pipe = Pipe()
        var log = Logger(label: "l\"") {
            JSONLogHandler(label: $0, file: pipe.fileHandleForWriting)
        }
        log[metadataKey: "session"] = "s"
        let hostile = "a\"}\n{\"level\":\"info\u{1}\u{2028}\u{7F}ä\\"
        log.notice("\(hostile)", metadata: ["email": "\(hostile)", "array": ["x"]])
        log.debug("not at this level")
        try pipe.fileHandleForWriting.close()

        let text = String(decoding: try #require(try pipe.fileHandleForReading.readToEnd()), as: UTF8.self)
        #expect(text.split(separator: "\n").count == 1)
        let record = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: String])
        #expect(record["message"] == hostile)
        #expect(record["email"] == hostile)
        #expect(record["session"] == "s")
        #expect(record["level"] == "notice")
        #expect(record["logger"] == "l\"")
        #expect(record["time"]?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
    }

    @Test func `integers in log metadata are written as JSON numbers, other values as text`() throws {
        let pipe = Pipe()
        let log = Logger(label: "l") { JSONLogHandler(label: $0, file: pipe.fileHandleForWriting) }
        log.notice("m", metadata: ["a": .stringConvertible(UInt64.max), "b": "7", "c": .stringConvertible(1.5)])
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: try #require(try pipe.fileHandleForReading.readToEnd()), as: UTF8.self)
        #expect(text.hasSuffix(#","a":18446744073709551615,"b":"7","c":"1.5"}"# + "\n"))
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import FreshetWire

@Suite struct `Flat JSON` {
    private func read(_ text: String) -> FlatJSON? { Data(text.utf8).withUnsafeBytes { FlatJSON($0) } }

    @Test(
        arguments: [
            #"{"refresh_token":"frt_a-b_c","intent":"i"}"#, #"{"intent":"i","refresh_token":"frt_a-b_c"}"#,
            " {\r\n\t\"refresh_token\" : \"frt_a-b_c\" ,\n\"intent\":\"i\" }\n ",
            #"{"refresh_token":"frt_a-b_c","intent":"i","":"","more":"~ !"}"#,
        ]
    )
    func `the flat JSON parser reads an object of plain strings in any order and spacing`(text: String) throws {
        let json = try #require(read(text))
        #expect(RefreshRequest(json) == RefreshRequest(refreshToken: "frt_a-b_c", intent: "i"))
        #expect(PresentedToken(json) == PresentedToken(refreshToken: "frt_a-b_c"))
    }

    @Test(
        arguments: [
            "", " ", "{", "{}", "[]", "null", #"{"a"}"#, #"{"a":}"#, #"{"a":"b""#, #"{"a":"b"}x"#, #"{"a":"b"}{}"#,
            #"{"a":"b",}"#, #"{,"a":"b"}"#, #"{"a":"b" "c":"d"}"#, #"{"a":"b","a":"c"}"#, #"{"a":1}"#, #"{"a":null}"#,
            #"{"a":{"b":"c"}}"#, #"{"a":"\u0062"}"#, #"{"a":"b\"c"}"#, #"{"a":"é"}"#, "{\"a\":\"b\u{1}\"}", "{'a':'b'}",
            "\u{FEFF}{\"a\":\"b\"}", #"{"a":"b"#, #"{"a"#,
        ]
    )
    func `the flat JSON parser rejects invalid texts and values other than plain strings`(text: String) {
        #expect(read(text) == nil)
    }

    @Test func `the flat JSON parser reads at most eight members`() {
        let members = (0..<9).map { #""n\#($0)":"v""# }
        #expect(read("{" + members.prefix(8).joined(separator: ",") + "}") != nil)
        #expect(read("{" + members.joined(separator: ",") + "}") == nil)
    }

    @Test func `the flat JSON parser reads the same request as the general decoder`() throws {
        let pieces = [
            #""refresh_token":"t""#, #""intent":"i""#, #""x":"y""#, ",", " ", "\"", "\\", ":", "\"\"", "{", "}", "é",
        ]
        var texts = [""]
        var flat = 0
        for _ in 1...4 {
            texts = texts.flatMap { text in pieces.map { text + $0 } }
            for text in texts {
                let whole = "{\(text)}"
                guard let json = read(whole) else { continue }
                flat += 1
                let general = try? JSONDecoder().decode(RefreshRequest.self, from: Data(whole.utf8))
                #expect(RefreshRequest(json) == general, "\(whole)")
            }
        }
        #expect(flat > 50, "too few texts were of the kind to say anything")
    }
}

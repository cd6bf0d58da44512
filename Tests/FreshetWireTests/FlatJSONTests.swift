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
    func `is an object of plain strings, in any order and spacing`(text: String) throws {
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
    func `is nothing else; that is the general decoder's`(text: String) { #expect(read(text) == nil) }

    @Test func `has a bounded number of members`() {
        let members = (0..<9).map { #""n\#($0)":"v""# }
        #expect(read("{" + members.prefix(8).joined(separator: ",") + "}") != nil)
        #expect(read("{" + members.joined(separator: ",") + "}") == nil)
    }

    @Test func `means what the general decoder reads, whatever the text`() throws {
        var random = SeededGenerator(seed: 7)
        let pieces = [
            "{", "}", "\"", ":", ",", " ", "\n", "\\", "\\n", "refresh_token", "intent", "\"refresh_token\":\"t\"",
            "\"intent\":\"i\"", "\"x\":1", "é", "[", "]", "null", "\u{0}",
        ]
        var flat = 0
        for _ in 0..<20_000 {
            var text = (0..<Int.random(in: 1...9, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            if Bool.random(using: &random) { text = "{" + text + "}" }
            guard let json = read(text) else { continue }
            flat += 1
            let general = try? JSONDecoder().decode(RefreshRequest.self, from: Data(text.utf8))
            #expect(RefreshRequest(json) == general, "\(text)")
        }
        #expect(flat > 100, "too few texts were of the kind to say anything")
    }

    /// The same numbers at every run.
    private struct SeededGenerator: RandomNumberGenerator {
        var state: UInt64

        init(seed: UInt64) { state = seed }

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import Testing

@testable import FreshetJWT

/// Tokens that two readers might understand differently, or that cost more than they are worth.
@Suite(.timeLimit(.minutes(5))) struct `Malformed tokens` {
    @Test(arguments: [
        #","crit":["exp"]"#, #","crit":[]"#, #","crit":"exp""#, #","crit":["later"],"later":1"#, #","crit":["alg"]"#,
        #","crit":null"#, #","b64":false"#, #","b64":false,"crit":["b64"]"#, #","b64":0"#, #","b64":null"#,
        #","zip":"DEF""#, #","zip":null"#, #","enc":"A256GCM""#,
    ])
    func `a token with a header field that changes its interpretation is refused`(member: String) async throws {
        #expect(
            try await TestTokenIssuer.fault(
                try TestTokenIssuer.token(TestTokenIssuer.header(more: member), TestTokenIssuer.payload())
            ) == .critical
        )
    }

    @Test func `a token with an unencoded payload is refused`() async throws {
        let header = Base64URL.encode(TestTokenIssuer.header(more: #","b64":false,"crit":["b64"]"#).utf8)
        let token = try TestTokenIssuer.joined(header, TestTokenIssuer.payload())
        #expect(try await TestTokenIssuer.fault(token) != nil)
    }

    @Test func `a token in JSON serialisation, a nested token and an encrypted token are refused`() async throws {
        let good = try TestTokenIssuer.token(TestTokenIssuer.header, TestTokenIssuer.payload())
        let parts = good.split(separator: ".")
        let others = [
            #"{"payload":"\#(parts[1])","protected":"\#(parts[0])","signature":"\#(parts[2])"}"#,
            #"{"payload":"\#(parts[1])","signatures":[{"protected":"\#(parts[0])","signature":"\#(parts[2])"}]}"#,
            try TestTokenIssuer.token(TestTokenIssuer.header(more: #","cty":"JWT""#), good),
            "\(parts[0])..\(parts[1]).\(parts[2]).",
            "\(parts[0]).\(parts[1]).\(parts[2]).\(parts[0]).\(parts[1])", good + "." + good, good + good, "", ".",
            "..", "...",
            "\(parts[0]).\(parts[1])", ".\(parts[1]).\(parts[2])", good + ".",
        ]
        for other in others { #expect(try await TestTokenIssuer.fault(other) == .malformed, "\(other.prefix(20))") }
    }

    @Test func `a token whose text is not the canonical encoding of its bytes is refused`() async throws {
        let good = try TestTokenIssuer.token(TestTokenIssuer.header, TestTokenIssuer.payload())
        let parts = good.split(separator: ".").map(String.init)
        var others = [
            " " + good, good + " ", good + "\n", good + "\r\n", good + "\0", "Bearer " + good, "\u{FEFF}" + good,
            good.replacing(".", with: "．"), good.replacing(".", with: "。"), good.replacing(".", with: "%2E"),
        ]
        for index in 0..<3 {
            for (before, after) in [
                ("", "="), ("", "=="), ("", "A"), ("", "\n"), (" ", ""), ("", "+"), ("", "/"), ("", "?"), ("", "é"),
                ("", "*"),
            ] {
                var changed = parts
                changed[index] = before + changed[index] + after
                others.append(changed.joined(separator: "."))
            }
            // A line break, as mail puts it.
            var folded = parts
            folded[index].insert("\n", at: folded[index].index(folded[index].startIndex, offsetBy: 4))
            others.append(folded.joined(separator: "."))
        }
        for other in others {
            #expect(try await TestTokenIssuer.fault(other) != nil, "\(other.debugDescription.suffix(30))")
        }
    }

    @Test func `a token whose signature has nonzero unused bits in its last character is refused`() async throws {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let parts = try TestTokenIssuer.token(TestTokenIssuer.header, TestTokenIssuer.payload()).split(separator: ".")
            .map(String.init)
        // 64 bytes leave four bits unused in the last of 86 characters.
        let last = try #require(parts[2].last.flatMap { alphabet.firstIndex(of: $0) })
        for bits in 1..<16 {
            let signature = parts[2].dropLast() + String(alphabet[last ^ bits])
            #expect(try await TestTokenIssuer.fault("\(parts[0]).\(parts[1]).\(signature)") == .malformed)
        }
    }

    @Test func `a token with a duplicate member name is refused, even if the name is escaped`() async throws {
        let headers = [
            TestTokenIssuer.header(more: #","alg":"none""#), TestTokenIssuer.header(more: #","kid":"second""#),
            TestTokenIssuer.header(more: ##","\u0061lg":"ES256""##),
            TestTokenIssuer.header(more: ##","\u006bid":"es""##),
        ]
        for header in headers {
            #expect(
                try await TestTokenIssuer.fault(try TestTokenIssuer.token(header, TestTokenIssuer.payload()))
                    == .malformed
            )
        }
        for member in [
            #""exp":9999999999"#, #""sub":"eve""#, #""aud":"api""#, ##""e\u0078p":1800000600"##, #""x":1,"x":2"#,
        ] {
            let payload = TestTokenIssuer.payload().dropLast() + "," + member + "}"
            #expect(
                try await TestTokenIssuer.fault(try TestTokenIssuer.token(TestTokenIssuer.header, String(payload)))
                    == .malformed
            )
        }
        let nested = TestTokenIssuer.payload(["deep": #"{"a":1,"a":2}"#])
        #expect(
            try await TestTokenIssuer.fault(try TestTokenIssuer.token(TestTokenIssuer.header, nested)) == .malformed
        )
    }

    private static let noObjects: [[UInt8]] = {
        let good = TestTokenIssuer.payload(), header = TestTokenIssuer.header
        func with(_ member: String) -> [UInt8] { Array((good.dropLast() + "," + member + "}").utf8) }
        return [
            Array("[\(good)]".utf8), Array("\"text\"".utf8), Array("1".utf8), Array("null".utf8), [], Array(" ".utf8),
            [0xEF, 0xBB, 0xBF] + Array(good.utf8), [0xEF, 0xBB, 0xBF] + Array(header.utf8),
            Array(good.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }),
            Array((good.dropLast()).utf8), Array((good + good).utf8), Array((good + "x").utf8),
            Array((good + ",").utf8),
            with(#""a":NaN"#), with(#""a":Infinity"#), with(#"/* c */"a":1"#), with(#""a":1,"#), with(#""a":01"#),
            with(#""a":+1"#), with(#""a":.5"#), with(#""a":0x1"#), with(#"'a':1"#), with(#"a:1"#),
            with("\"a\":\"\u{1}\""),
            with("\"a\":\"\n\""), with(##""a":"\ud800""##), with(##""a":"\udc00\ud800""##), with(##""a":"\x41""##),
            Array(good.utf8.dropLast()) + Array(#","a":""#.utf8) + [0xFF] + Array(#""}"#.utf8),
            Array(good.utf8.dropLast()) + Array(#","a":""#.utf8) + [0xC0, 0xAF] + Array(#""}"#.utf8),
            Array(good.utf8.dropLast()) + Array(#","a":""#.utf8) + [0xED, 0xA0, 0x80] + Array(#""}"#.utf8),
        ]
    }()

    @Test func `a token whose header or payload is not exactly one JSON object is refused`() async throws {
        for bytes in Self.noObjects {
            let shown = String(decoding: bytes.prefix(30), as: UTF8.self)
            #expect(
                try await TestTokenIssuer.fault(try TestTokenIssuer.token(Array(TestTokenIssuer.header.utf8), bytes))
                    == .malformed,
                "\(shown)"
            )
            #expect(
                try await TestTokenIssuer.fault(try TestTokenIssuer.token(bytes, Array(TestTokenIssuer.payload().utf8)))
                    != nil,
                "\(shown)"
            )
        }
    }

    @Test func `a token that is too large or too deeply nested is refused`() async throws {
        let deepArrays = String(repeating: "[", count: 20_000) + String(repeating: "]", count: 20_000)
        let deepObjects = String(repeating: #"{"a":"#, count: 3_000) + "1" + String(repeating: "}", count: 3_000)
        let manyClaims = (0..<50_000).map { #""c\#($0)":1"# }.joined(separator: ",")
        let tokens = [
            try TestTokenIssuer.token(TestTokenIssuer.header, TestTokenIssuer.payload(["deep": deepArrays])),
            try TestTokenIssuer.token(TestTokenIssuer.header, TestTokenIssuer.payload(["deep": deepObjects])),
            try TestTokenIssuer.token(TestTokenIssuer.header, "{" + manyClaims + "}"),
            try TestTokenIssuer.token(
                TestTokenIssuer.header,
                TestTokenIssuer.payload(["big": "\"" + String(repeating: "b", count: 2_000_000) + "\""])
            ),
            try TestTokenIssuer.token(
                TestTokenIssuer.header(more: #","p":"\#(String(repeating: "h", count: 200_000))""#),
                TestTokenIssuer.payload()
            ),
            String(repeating: "A", count: 1 << 20), String(repeating: ".", count: 100_000),
        ]
        for token in tokens { #expect(try await TestTokenIssuer.fault(token) == .tooLarge) }
        // Deep, and small enough to be read.
        for depth in [65, 200, 5_000] {
            let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            #expect(
                try await TestTokenIssuer.fault(
                    try TestTokenIssuer.token(TestTokenIssuer.header, TestTokenIssuer.payload(["deep": deep]))
                ) == .malformed
            )
            #expect(
                try await TestTokenIssuer.fault(
                    try TestTokenIssuer.token(
                        TestTokenIssuer.header(more: #","deep":\#(deep)"#),
                        TestTokenIssuer.payload()
                    )
                )
                    == .malformed
            )
        }
    }
}

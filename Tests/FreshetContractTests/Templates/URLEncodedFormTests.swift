// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetContract

@Suite struct `Form texts` {
    private func pairs(_ fields: [(name: String, value: String)]?) -> [[String]]? {
        fields?.map { [$0.name, $0.value] }
    }

    @Test(
        arguments: [
            ([], ""), ([["a", "b"]], "a=b"), ([["a", ""], ["", "b"]], "a=&=b"),
            ([["a b", "c+d&e=f%"]], "a%20b=c%2Bd%26e%3Df%25"),
            ([["é", "😀\n\0"]], "%C3%A9=%F0%9F%98%80%0A%00"), ([["A-z_0.9~", "*'()"]], "A-z_0.9~=%2A%27%28%29"),
        ] as [([[String]], String)]
    )
    func `form fields are encoded as text and decoded from it without changes`(fields: [[String]], text: String) {
        #expect(URLEncodedForm.encode(fields.map { ($0[0], $0[1]) }) == text)
        #expect(pairs(URLEncodedForm.decode(text)) == fields)
    }

    @Test(
        arguments: [
            ("a=b+c", [["a", "b c"]]), ("a=%62%2b", [["a", "b+"]]), ("&a=1&&b=2&", [["a", "1"], ["b", "2"]]),
            ("a=b=c", [["a", "b=c"]]),
            ("é=ü", [["é", "ü"]]), ("a=\u{301}", [["a", "\u{301}"]]), ("&", []),
            ("a=1&A=2", [["a", "1"], ["A", "2"]]),
        ] as [(String, [[String]])]
    )
    func `form fields in other valid encodings are decoded`(text: String, fields: [[String]]) {
        #expect(pairs(URLEncodedForm.decode(text)) == fields)
    }

    @Test(arguments: [
        "a", "a=1&b", "<html>", "{\"a\":1}", "a=%", "a=%4", "a=%4g", "a=%+1", "a=%zz", "a=%FF", "a=%C3", "%=1",
        "a=1&a=2", "a=1&%61=2",
        "a=%１１", "a b", "a=%F0%9F%98",
    ])
    func `an invalid form text is rejected`(text: String) { #expect(URLEncodedForm.decode(text) == nil) }

    @Test func `a form with 4000 fields is decoded, and a duplicate field among them is rejected`() {
        let text = (0..<4000).map { "name\($0)=\($0)" }.joined(separator: "&")
        #expect(URLEncodedForm.decode(text)?.count == 4000)
        #expect(URLEncodedForm.decode(text + "&name7=8") == nil)
    }

    @Test func `a decoded random form has the same fields after it is encoded and decoded`() {
        var random = SplitMix64(seed: 7)
        let alphabet = Array("ab=&%+0F\u{301}é".unicodeScalars)
        for _ in 0..<2000 {
            var text = ""
            for _ in 0..<random.below(16) { text.unicodeScalars.append(alphabet[random.below(alphabet.count)]) }
            guard let fields = URLEncodedForm.decode(text) else { continue }
            if pairs(URLEncodedForm.decode(URLEncodedForm.encode(fields))) != pairs(fields) { Issue.record("\(text)") }
        }
    }
}

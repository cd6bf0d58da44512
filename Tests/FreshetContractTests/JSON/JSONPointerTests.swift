// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetContract

@Suite struct `JSON pointers` {
    /// The document of RFC 6901 section 5.
    private static let document = #"""
        { "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8 }
        """#

    @Test(
        arguments: [
            ("/foo", #"["bar","baz"]"#), ("/foo/0", #""bar""#), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"),
            ("/e^f", "3"),
            ("/g|h", "4"), ("/i\\j", "5"), ("/k\"l", "6"), ("/ ", "7"), ("/m~0n", "8"),
        ]
    )
    func `JSON pointers find the values of the example in RFC 6901`(text: String, value: String) throws {
        let root = try JSONParser.parse(Self.document.utf8)
        let pointer = try #require(JSONPointer(text))
        #expect(pointer.value(in: root)?.jsonText == value)
        #expect(pointer.description == text)
    }

    @Test func `an empty JSON pointer finds the whole document`() throws {
        let root = try JSONParser.parse(Self.document.utf8)
        #expect(JSONPointer("")?.value(in: root) == root)
        #expect(JSONPointer("")?.tokens == [])
    }

    @Test(arguments: [
        "/foo/2", "/foo/00", "/foo/01", "/foo/-", "/foo/-1", "/foo/+1", "/foo/ 1", "/foo/1e0",
        "/foo/99999999999999999999", "/foo/",
        "/foo/bar", "/foo/0/0", "/bar", "/Foo", "//", "/foo/٠",
    ])
    func `a JSON pointer to a missing value finds no value`(text: String) throws {
        #expect(JSONPointer(text)?.value(in: try JSONParser.parse(Self.document.utf8)) == nil)
        #expect(JSONPointer(text) != nil)
    }

    @Test(arguments: ["foo", " /foo", "#/foo", "/~", "/~2", "/a~", "/~/0", "~0"])
    func `an invalid JSON pointer is rejected`(text: String) { #expect(JSONPointer(text) == nil) }

    @Test(
        arguments: [
            ("/~01", ["~1"]), ("/~10", ["/0"]), ("/~0~1~0", ["~/~"]), ("/a//b/", ["a", "", "b", ""]),
            ("/\u{301}/~0\u{301}", ["\u{301}", "~\u{301}"]),
        ]
    )
    func `a JSON pointer is parsed into its tokens and written as the same text`(text: String, tokens: [String]) throws
    {
        let pointer = try #require(JSONPointer(text))
        #expect(pointer.tokens.map { Array($0.unicodeScalars) } == tokens.map { Array($0.unicodeScalars) })
        #expect(pointer.description == text)
    }

    @Test func `a JSON pointer compares names by code points`() throws {
        let root = try JSONParser.parse("{\"e\u{301}\":1}".utf8)
        #expect(JSONPointer("/e\u{301}")?.value(in: root) != nil)
        #expect(JSONPointer("/\u{E9}")?.value(in: root) == nil)
    }

    @Test(arguments: [
        "/access_token", "/accessToken", "/AccessToken", "/ACCESS-TOKEN", "/Access_Token", "/accesstoken",
    ])
    func `a JSON pointer that ignores casing finds a name in every casing`(text: String) throws {
        for name in ["access_token", "accessToken", "AccessToken", "access-token", "ACCESS_TOKEN"] {
            let root = try JSONParser.parse("{\"data\":{\"\(name)\":1}}".utf8)
            let pointer = try #require(JSONPointer("/Data" + text))
            #expect(pointer.value(in: root, anyCasing: true) != nil)
            #expect(pointer.value(in: root) == nil)
        }
    }

    @Test func `a JSON pointer that ignores casing prefers the exact name`() throws {
        let root = try JSONParser.parse(#"{"accessToken":1,"access_token":2}"#.utf8)
        #expect(JSONPointer("/access_token")?.value(in: root, anyCasing: true)?.jsonText == "2")
        #expect(JSONPointer("/ACCESS_TOKEN")?.value(in: root, anyCasing: true)?.jsonText == "1")
        #expect(JSONPointer("/access_tokens")?.value(in: root, anyCasing: true) == nil)
    }
}

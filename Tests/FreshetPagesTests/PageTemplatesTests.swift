// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import Testing

@testable import FreshetPages

@Suite struct `A template of a page` {
    @Test func `the embedded page templates are parsed, and an unknown template is an error`() throws {
        let templates = try PageTemplates.embedded.get()
        #expect(EmbeddedPages.templates.count >= 9)
        #expect(throws: APIError.self) { try templates.render("no such template", 1) }
    }

    @Test func `page templates escape all values except main content and SVG, and every form has a form token`() {
        for (name, text) in EmbeddedPages.templates {
            #expect(!text.contains("{{&"), "\(name)")
            #expect(!text.contains("{{%"), "\(name)")
            let raw = text.matches(of: /\{\{\{(.*?)\}\}\}/).map { String($0.1) }
            let others = raw.filter { !$0.hasSuffix("SVG") && !(name == "layout" && $0 == "main") }
            #expect(others == [], "\(name)")
            #expect(!text.contains("<script"), "\(name)")
            #expect(!text.contains(" style="), "\(name)")
            #expect(!text.contains(#/ on[a-z]+=/#), "\(name)")
            let forms = text.components(separatedBy: "<form").count - 1
            let tokens = text.components(separatedBy: #"name="{{formTokenField}}" value="{{formToken}}""#).count - 1
            #expect(forms == tokens, "\(name): a form without a form token")
        }
    }

    @Test(arguments: [
        ("<b>", "&lt;b&gt;"), ("\"\u{301} onfocus=x", "&quot;\u{301} onfocus=x"),
        ("<\u{338}script", "&lt;\u{338}script"),
        ("'&`", "&#39;&amp;&#96;"), ("{{title}}", "{{title}}"),
    ])
    func `a page template escapes by Unicode scalar, so that a combining accent hides no quotation mark`(
        text: String,
        escaped: String
    ) throws {
        let templates = try PageTemplates(["one": #"{{#items}}<p title="{{.}}">{{/items}}"#])
        let page = try templates.render("one", ["items": [text]])
        #expect(Array(page.unicodeScalars) == Array("<p title=\"\(escaped)\">".unicodeScalars))
    }
}

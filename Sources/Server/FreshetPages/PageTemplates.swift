// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import Mustache

/// The templates, read once; whatever they are given is escaped.
struct PageTemplates: Sendable {
    private let library: MustacheLibrary

    /// A template knows the page's values by their own names, and those of the frame round it as well.
    init(_ texts: [String: String]) throws {
        MustacheContentTypes.register(EscapedText(), named: "PAGE")
        var library = MustacheLibrary()
        for (name, text) in texts { try library.register("{{% CONTENT_TYPE: PAGE}}\(text)", named: name) }
        self.library = library
    }

    /// Those that are in this program; a test reads them all.
    static let embedded = Result { try PageTemplates(EmbeddedPages.templates) }

    func render(_ name: String, _ values: Any) throws(APIError) -> String {
        guard let text = library.render(values, withTemplate: name) else {
            throw APIError(.serverError, "no template \(name)")
        }
        return text
    }
}

/// The page's values, and behind them those of the frame.
struct PageTemplateContext: MustacheParent {
    let frame: PageLayout

    func child(named name: String) -> Any? { Self.value(name, of: frame.page) ?? Self.value(name, of: frame) }

    /// A stored property of a struct, `nil` for one that holds nothing.
    private static func value(_ name: String, of object: Any) -> Any? {
        guard let value = Mirror(reflecting: object).children.first(where: { $0.label == name })?.value else {
            return nil
        }
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .optional ? mirror.children.first?.value : value
    }
}

/// Escapes for elements and for attributes in quotes.
///
/// By scalars: the library's own goes by characters, and lets a quotation mark with an accent on it out of its attribute.
private struct EscapedText: MustacheContentType {
    func escapeText(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
            case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
            case "`": escaped.append(contentsOf: "&#96;".unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import Mustache

/// The templates, parsed once; all their values are escaped.
struct PageTemplates: Sendable {
    private let library: MustacheLibrary

    /// Parses templates, which use the page's values and those of the layout by their names.
    init(_ texts: [String: String]) throws {
        MustacheContentTypes.register(EscapedText(), named: "PAGE")
        var library = MustacheLibrary()
        for (name, text) in texts { try library.register("{{% CONTENT_TYPE: PAGE}}\(text)", named: name) }
        self.library = library
    }

    /// The templates embedded in this program; a test parses them all.
    static let embedded = Result { try PageTemplates(EmbeddedPages.templates) }

    func render(_ name: String, _ values: Any) throws(APIError) -> String {
        guard let text = library.render(values, withTemplate: name) else {
            throw APIError(.serverError, "no template \(name)")
        }
        return text
    }
}

/// The values of a page, and those of the layout as a fallback.
struct PageTemplateContext: MustacheParent {
    let frame: PageLayout

    func child(named name: String) -> Any? { Self.value(name, of: frame.page) ?? Self.value(name, of: frame) }

    /// Returns a stored property of a struct, or `nil` for an empty optional.
    private static func value(_ name: String, of object: Any) -> Any? {
        guard let value = Mirror(reflecting: object).children.first(where: { $0.label == name })?.value else {
            return nil
        }
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .optional ? mirror.children.first?.value : value
    }
}

/// Escapes text for elements and quoted attributes.
///
/// It escapes Unicode scalars: the library's own escaping works on characters, and misses a quotation mark with a
/// combining accent, which would end an attribute.
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

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetContract

/// The shape of a path: words that must stand there, and places for values.
package struct RoutePattern: Hashable, Sendable, CustomStringConvertible {
    /// `nil` for a place that takes anything.
    private let words: [String?]
    /// As the router writes it.
    package let path: String

    /// Takes a path as the router writes it, such as `/v1/sessions/{id}`.
    package init(path: String) {
        self.path = path
        words = path.split(separator: "/").map { $0.contains("{") ? nil : String($0) }
    }

    /// The pattern of a template under a prefix, with the contract's own values in it.
    ///
    /// - Returns: `nil` if the router cannot tell the values apart, or would read a word as something else.
    package init?(_ template: Template, prefix: String, constants: [String: String]) {
        var path = prefix
        for part in template.parts {
            switch part {
            case .text(let text):
                guard !text.contains(where: { "{}*".contains($0) }), !text.contains("/:") else { return nil }
                path += text
            case .value(let name): path += constants[name] ?? "{\(name)}"
            }
        }
        guard path.split(separator: "/").allSatisfy({ $0.count(where: { $0 == "{" }) <= 1 }) else { return nil }
        self.init(path: path)
    }

    /// Whether some path is of both shapes.
    package func overlaps(_ other: RoutePattern) -> Bool {
        words.count == other.words.count && zip(words, other.words).allSatisfy { $0 == nil || $1 == nil || $0 == $1 }
    }

    /// Whether a request's path is of this shape.
    func matches(_ path: String) -> Bool {
        let given = path.split(separator: "/")
        return words.count == given.count && zip(words, given).allSatisfy { $0 == nil || $0.map { $0[...] } == $1 }
    }

    package static func == (a: RoutePattern, b: RoutePattern) -> Bool { a.words == b.words }
    package func hash(into hasher: inout Hasher) { hasher.combine(words) }

    package var description: String { path }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetContract

/// A path pattern: literal segments, and placeholders for values.
package struct RoutePattern: Hashable, Sendable, CustomStringConvertible {
    /// The segments; `nil` for a placeholder, which matches any segment.
    private let segments: [String?]
    /// The pattern in the router's syntax.
    package let path: String

    /// Parses a pattern in the router's syntax, such as `/v1/sessions/{id}`.
    package init(path: String) {
        self.path = path
        segments = path.split(separator: "/").map { $0.contains("{") ? nil : String($0) }
    }

    /// Creates the pattern of a template under a prefix, with the contract's constants filled in.
    ///
    /// - Returns: `nil` if the router cannot separate the values, or would interpret literal text as syntax.
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

    /// Whether a path exists that matches both patterns.
    package func overlaps(_ other: RoutePattern) -> Bool {
        segments.count == other.segments.count
            && zip(segments, other.segments).allSatisfy { $0 == nil || $1 == nil || $0 == $1 }
    }

    /// Whether a request's path matches the pattern.
    func matches(_ path: String) -> Bool {
        let given = path.split(separator: "/")
        return segments.count == given.count
            && zip(segments, given).allSatisfy { $0 == nil || $0.map { $0[...] } == $1 }
    }

    package static func == (a: RoutePattern, b: RoutePattern) -> Bool { a.segments == b.segments }
    package func hash(into hasher: inout Hasher) { hasher.combine(segments) }

    package var description: String { path }
}

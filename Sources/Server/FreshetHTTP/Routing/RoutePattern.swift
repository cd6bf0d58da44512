// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A path pattern: literal segments, and placeholders for values.
package struct RoutePattern: Hashable, Sendable, CustomStringConvertible {
    /// The segments; `nil` for a placeholder, which matches any segment.
    private let segments: [String?]
    /// The pattern in the router's syntax.
    package let path: String

    /// Parses a pattern in the router's syntax, such as `/v1/sessions/{id}`.
    package init(path: String) {
        self.path = path
        segments = path.unicodeScalars.split(separator: "/").map { $0.contains("{") ? nil : String($0) }
    }

    /// Whether a path exists that matches both patterns.
    package func overlaps(_ other: RoutePattern) -> Bool {
        segments.count == other.segments.count
            && zip(segments, other.segments).allSatisfy { $0 == nil || $1 == nil || $0 == $1 }
    }

    /// Whether a request's path matches the pattern.
    func matches(_ path: String) -> Bool {
        let given = path.unicodeScalars.split(separator: "/")
        return segments.count == given.count
            && zip(segments, given).allSatisfy { $0?.unicodeScalars.elementsEqual($1) ?? true }
    }

    package static func == (a: RoutePattern, b: RoutePattern) -> Bool { a.segments == b.segments }
    package func hash(into hasher: inout Hasher) { hasher.combine(segments) }

    package var description: String { path }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Header fields with case-insensitive names.
///
/// Values may contain tokens; the description contains the names only.
public struct BackendHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    private var values: [String: String] = [:]
    /// The names as last written, by lower-case name.
    private var names: [String: String] = [:]

    /// Creates the fields of `literal`; for a repeated name, the last value is used.
    public init(dictionaryLiteral literal: (String, String)...) {
        for (name, value) in literal { self[name] = value }
    }

    /// Creates header fields from a dictionary.
    package init(_ fields: [String: String]) {
        for (name, value) in fields { self[name] = value }
    }

    /// The value of a field; the name is case-insensitive.
    public subscript(name: String) -> String? {
        get { values[name.lowercased()] }
        set {
            values[name.lowercased()] = newValue
            names[name.lowercased()] = newValue == nil ? nil : name
        }
    }

    /// The fields as a dictionary.
    public var fields: [String: String] {
        values.reduce(into: [:]) { fields, field in fields[names[field.key] ?? field.key] = field.value }
    }

    /// Whether two sets of fields are equal, ignoring the case of names.
    public static func == (lhs: BackendHeaders, rhs: BackendHeaders) -> Bool { lhs.values == rhs.values }
}

extension BackendHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names of the fields.
    public var description: String { "[\(names.values.sorted().joined(separator: ", "))]" }
    /// The names of the fields.
    public var debugDescription: String { description }
    /// An empty mirror, to keep tokens out of output.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection(), displayStyle: .struct) }
}

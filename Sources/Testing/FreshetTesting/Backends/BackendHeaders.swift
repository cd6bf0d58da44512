// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Header fields, whose names have no case.
///
/// They may hold tokens, and print their names alone.
public struct BackendHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    private var values: [String: String] = [:]
    /// The names as they were written last, by the name that they are found by.
    private var names: [String: String] = [:]

    /// The fields of `literal`; of several with one name the last counts.
    public init(dictionaryLiteral literal: (String, String)...) {
        for (name, value) in literal { self[name] = value }
    }

    /// The fields of `fields`.
    package init(_ fields: [String: String]) {
        for (name, value) in fields { self[name] = value }
    }

    /// The value of the field of that name, in whatever case.
    public subscript(name: String) -> String? {
        get { values[name.lowercased()] }
        set {
            values[name.lowercased()] = newValue
            names[name.lowercased()] = newValue == nil ? nil : name
        }
    }

    /// Names and values.
    public var fields: [String: String] {
        values.reduce(into: [:]) { fields, field in fields[names[field.key] ?? field.key] = field.value }
    }

    /// Whether the same values go by the same names, in whatever case.
    public static func == (lhs: BackendHeaders, rhs: BackendHeaders) -> Bool { lhs.values == rhs.values }
}

extension BackendHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names.
    public var description: String { "[\(names.values.sorted().joined(separator: ", "))]" }
    /// The names.
    public var debugDescription: String { description }
    /// Shows nothing.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection(), displayStyle: .struct) }
}

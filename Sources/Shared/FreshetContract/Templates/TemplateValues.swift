// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetWire

/// What stands for the names in templates.
///
/// Tokens and passwords are among them, so it prints a mask.
package struct TemplateValues: Sendable, Equatable, Masked {
    private var values: [String: JSONValue]

    package init(_ values: [String: JSONValue] = [:]) { self.values = values }

    package init(texts: [String: String?]) {
        values = texts.compactMapValues { $0.map(JSONValue.string) }
    }

    package subscript(name: String) -> JSONValue? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// These values, and `others` before them where both have one.
    package func merging(_ others: TemplateValues) -> TemplateValues {
        TemplateValues(values.merging(others.values) { $1 })
    }

    package var mask: String { "TemplateValues(\(values.keys.sorted().joined(separator: ", ")))" }
}

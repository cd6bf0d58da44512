// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetWire

/// The values for the names in templates.
///
/// They include tokens and passwords, so the description is masked.
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

    /// Returns the union of both; for a name in both, the value of `others` is used.
    package func merging(_ others: TemplateValues) -> TemplateValues {
        TemplateValues(values.merging(others.values) { $1 })
    }

    package var mask: String { "TemplateValues(\(values.keys.sorted().joined(separator: ", ")))" }
}

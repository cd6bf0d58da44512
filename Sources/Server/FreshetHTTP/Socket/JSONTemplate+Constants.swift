// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetContract

extension JSONTemplate {
    /// Whether `value` contains everything in the template that is not a placeholder.
    package func hasConstants(in value: JSONValue) -> Bool {
        switch (self, value) {
        case (.constant(let constant), _): constant == value
        case (.text(let template), _):
            !template.names.isEmpty || value.string.map { template.values(in: $0) != nil } == true
        case (.array(let items), .array(let values)):
            items.count <= values.count && zip(items, values).allSatisfy { $0.hasConstants(in: $1) }
        case (.object(let members), .object(let object)):
            members.allSatisfy { name, template in
                object[name].map { template.hasConstants(in: $0) } ?? !template.isFixed
            }
        default: false
        }
    }

    /// Whether the template has no placeholders.
    private var isFixed: Bool { names.isEmpty }
}

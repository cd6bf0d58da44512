// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetContract

extension JSONTemplate {
    /// Whether everything in the template that is no place for a value stands in `value` as well.
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

    /// Whether there is no place for a value in it.
    private var isFixed: Bool { names.isEmpty }
}

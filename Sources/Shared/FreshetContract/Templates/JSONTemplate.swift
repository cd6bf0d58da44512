// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A JSON value whose strings are templates.
package indirect enum JSONTemplate: Sendable, Equatable {
    case constant(JSONValue)
    case text(Template)
    case array([JSONTemplate])
    case object([(name: String, value: JSONTemplate)])

    /// Returns the value with all names replaced; members and items without a value are left out.
    package func value(_ values: TemplateValues) throws(MissingValue) -> JSONValue? {
        switch self {
        case .constant(let value): return value
        case .text(let template):
            if let name = template.soleName { return values[name] }
            return try template.text(values).map(JSONValue.string)
        case .array(let items):
            var result: [JSONValue] = []
            for item in items { if let value = try item.value(values) { result.append(value) } }
            return .array(result)
        case .object(let members):
            var result: [JSONObject.Member] = []
            for (name, template) in members {
                if let value = try template.value(values) { result.append(.init(name, value)) }
            }
            return .object(JSONObject(result))
        }
    }

    /// The names in all templates, in order.
    package var names: [String] {
        switch self {
        case .constant: []
        case .text(let template): template.names
        case .array(let items): items.flatMap(\.names)
        case .object(let members): members.flatMap(\.value.names)
        }
    }

    /// Returns the values at the template's places in `value`, where present.
    package func values(in value: JSONValue) -> TemplateValues {
        var found = TemplateValues()
        collect(from: value, into: &found)
        return found
    }

    private func collect(from value: JSONValue, into found: inout TemplateValues) {
        switch (self, value) {
        case (.text(let template), let value):
            if let name = template.soleName {
                found[name] = value
            } else if let text = value.text {
                for (name, value) in template.values(in: text) ?? [:] { found[name] = .string(value) }
            }
        case (.array(let templates), .array(let items)):
            for (template, item) in zip(templates, items) { template.collect(from: item, into: &found) }
        case (.object(let members), .object(let object)):
            for (name, template) in members {
                if let value = object[name] { template.collect(from: value, into: &found) }
            }
        default: break
        }
    }

    package static func == (a: JSONTemplate, b: JSONTemplate) -> Bool {
        switch (a, b) {
        case (.constant(let a), .constant(let b)): a == b
        case (.text(let a), .text(let b)): a == b
        case (.array(let a), .array(let b)): a == b
        case (.object(let a), .object(let b)):
            a.count == b.count && zip(a, b).allSatisfy { $0.name == $1.name && $0.value == $1.value }
        default: false
        }
    }
}

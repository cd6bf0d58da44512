// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetWire

/// A parsed JSON value (RFC 8259).
///
/// It may contain tokens, so its description is masked.
package indirect enum JSONValue: Sendable, Equatable, Masked {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    package var mask: String {
        switch self {
        case .null: "null"
        case .bool: "a truth value"
        case .number: "a number"
        case .string: "a string"
        case .array(let items): "an array of \(items.count)"
        case .object(let object): "an object of \(object.members.count)"
        }
    }

    /// The text, if the value is a string.
    package var string: String? { if case .string(let text) = self { text } else { nil } }
    /// The Boolean, if the value is `true` or `false`.
    package var bool: Bool? { if case .bool(let isTrue) = self { isTrue } else { nil } }
    /// The members, if the value is an object.
    package var object: JSONObject? { if case .object(let object) = self { object } else { nil } }
    /// The items, if the value is an array.
    package var array: [JSONValue]? { if case .array(let items) = self { items } else { nil } }

    /// The text of a string or a number; `nil` for an empty string.
    ///
    /// Backends write identifiers as strings or as numbers.
    package var text: String? {
        switch self {
        case .string(let text): text.isEmpty ? nil : text
        case .number(let number): number.text
        default: nil
        }
    }

    /// The value of a number, or of a string that contains one.
    package var double: Double? {
        switch self {
        case .number(let number): number.double
        case .string(let text): JSONNumber(text)?.double
        default: nil
        }
    }
}

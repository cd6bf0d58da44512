// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetWire

/// A JSON text as a value (RFC 8259).
///
/// Replies hold tokens, so it prints a mask.
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

    /// The text of a string.
    package var string: String? { if case .string(let text) = self { text } else { nil } }
    /// The value of `true` or `false`.
    package var bool: Bool? { if case .bool(let isTrue) = self { isTrue } else { nil } }
    /// The members of an object.
    package var object: JSONObject? { if case .object(let object) = self { object } else { nil } }
    /// The items of an array.
    package var array: [JSONValue]? { if case .array(let items) = self { items } else { nil } }

    /// The text of a string or number; an empty string counts as nothing.
    ///
    /// Backends write identifiers both ways.
    package var text: String? {
        switch self {
        case .string(let text): text.isEmpty ? nil : text
        case .number(let number): number.text
        default: nil
        }
    }

    /// The value of a number, or of a string that spells one.
    package var double: Double? {
        switch self {
        case .number(let number): number.double
        case .string(let text): JSONNumber(text)?.double
        default: nil
        }
    }
}

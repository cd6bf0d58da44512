// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension JSONValue {
    /// The value with the members of its objects sorted by name.
    var sorted: JSONValue {
        switch self {
        case .object(let object):
            let members = object.members.sorted { $0.name < $1.name }
            return .object(JSONObject(members.map { .init($0.name, $0.value.sorted) }))
        case .array(let items): return .array(items.map(\.sorted))
        default: return self
        }
    }
}

/// Encodes and decodes a JSON value with `Codable`, for contracts within an app's own configuration.
struct JSONCoding: Codable {
    var value: JSONValue

    init(value: JSONValue) { self.value = value }

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: Key.self) {
            value = .object(
                JSONObject(
                    try members.allKeys.map {
                        JSONObject.Member($0.stringValue, try members.decode(JSONCoding.self, forKey: $0).value)
                    }
                )
            )
        } else if var items = try? decoder.unkeyedContainer() {
            var values: [JSONValue] = []
            while !items.isAtEnd { values.append(try items.decode(JSONCoding.self).value) }
            value = .array(values)
        } else {
            value = try Self.scalar(decoder.singleValueContainer())
        }
    }

    private static func scalar(_ container: any SingleValueDecodingContainer) throws -> JSONValue {
        if container.decodeNil() { return .null }
        if let bool = try? container.decode(Bool.self) { return .bool(bool) }
        if let int = try? container.decode(Int.self) { return .number(JSONNumber(int)) }
        if let double = try? container.decode(Double.self) { return .number(JSONNumber(double)) }
        return .string(try container.decode(String.self))
    }

    func encode(to encoder: any Encoder) throws {
        switch value {
        case .object(let object):
            var container = encoder.container(keyedBy: Key.self)
            for member in object.members {
                try container.encode(JSONCoding(value: member.value), forKey: Key(stringValue: member.name))
            }
        case .array(let items):
            var container = encoder.unkeyedContainer()
            for item in items { try container.encode(JSONCoding(value: item)) }
        default:
            var container = encoder.singleValueContainer()
            switch value {
            case .bool(let bool): try container.encode(bool)
            case .string(let text): try container.encode(text)
            case .number(let number):
                if let int = number.int { try container.encode(int) } else { try container.encode(number.double) }
            default: try container.encodeNil()
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetTesting

/// A JSON value with ordered members, so that responses can be compared byte for byte.
enum BackendJSON: Sendable {
    case null
    case bool(Bool)
    case number(Int)
    case string(String)
    case array([BackendJSON])
    case object([(name: String, value: BackendJSON)])

    /// Creates an object from the members that have a value.
    static func members(_ members: KeyValuePairs<String, BackendJSON?>) -> BackendJSON {
        .object(members.compactMap { member in member.value.map { (member.key, $0) } })
    }

    /// Returns this object, followed by the members whose names it does not contain.
    func adding(_ members: KeyValuePairs<String, BackendJSON?>) -> BackendJSON {
        guard case .object(let own) = self, case .object(let more) = Self.members(members) else { return self }
        return .object(own + more.filter { member in !own.contains { $0.name == member.name } })
    }

    /// The JSON text, without white space.
    var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let value): String(value)
        case .string(let value): Self.quoted(value)
        case .array(let items): "[" + items.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0.name) + ":" + $0.value.text }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? #""""#
    }
}

extension BackendJSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral
{
    init(dictionaryLiteral members: (String, BackendJSON)...) { self = .object(members.map { ($0.0, $0.1) }) }
    init(arrayLiteral items: BackendJSON...) { self = .array(items) }
    init(stringLiteral text: String) { self = .string(text) }
    init(integerLiteral number: Int) { self = .number(number) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension BackendResponse {
    /// Creates a JSON response that caches must not store, because many contain tokens.
    static func json(_ status: Int, _ body: BackendJSON) -> BackendResponse {
        BackendResponse(status, json: body.text)
    }
}

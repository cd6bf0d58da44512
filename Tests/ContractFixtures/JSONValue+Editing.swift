// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetContract

extension JSONValue {
    /// The value with another one at a place, which may be new; without one if `replacement` is `nil`.
    package func replacing(_ tokens: ArraySlice<String>, with replacement: JSONValue?) -> JSONValue {
        guard let token = tokens.first else { return replacement ?? .null }
        let rest = tokens.dropFirst()
        switch self {
        case .object(var object):
            object[token] = rest.isEmpty ? replacement : object[token]?.replacing(rest, with: replacement)
            return .object(object)
        case .array(var items):
            guard let index = Int(token), items.indices.contains(index) else { return self }
            if !rest.isEmpty {
                items[index] = items[index].replacing(rest, with: replacement)
            } else if let replacement {
                items[index] = replacement
            } else {
                items.remove(at: index)
            }
            return .array(items)
        default: return self
        }
    }

    package func replacing(_ place: String, with replacement: JSONValue?) -> JSONValue {
        replacing(JSONPointer(place)?.tokens[...] ?? [], with: replacement)
    }

    /// Every place in it, the root first.
    package var places: [[String]] {
        let inner: [[String]]
        switch self {
        case .object(let object):
            inner = object.members.flatMap { member in member.value.places.map { [member.name] + $0 } }
        case .array(let items):
            inner = items.enumerated().flatMap { index, item in item.places.map { ["\(index)"] + $0 } }
        default: inner = []
        }
        return [[]] + inner
    }

    package func value(at tokens: [String]) -> JSONValue? {
        tokens.reduce(Optional(self)) { value, token in
            switch value {
            case .object(let object)?: object[token]
            case .array(let items)?: Int(token).flatMap { items.indices.contains($0) ? items[$0] : nil }
            default: nil
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

/// The members of a JSON object, in order and with unique names.
package struct JSONObject: Sendable, Equatable {
    package struct Member: Sendable, Equatable {
        package var name: String
        package var value: JSONValue

        package init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    package private(set) var members: [Member]

    package init(_ members: [Member] = []) { self.members = members }

    /// The names of the members, in order.
    package var names: [String] { members.map(\.name) }

    package subscript(name: String) -> JSONValue? {
        get { members.first { $0.name.hasSameBytes(as: name) }?.value }
        set {
            let index = members.firstIndex { $0.name.hasSameBytes(as: name) }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(name, value))
            case (nil, nil): break
            }
        }
    }

    /// Returns the value of a name, ignoring case and the separators `_` and `-`.
    package func value(inAnyCasing name: String) -> JSONValue? {
        if let value = self[name] { return value }
        let wanted = Self.folded(name)
        return members.first { Self.folded($0.name) == wanted }?.value
    }

    /// Whether two names are equal, optionally ignoring case and separators.
    static func areSame(_ name: String, _ other: String, anyCasing: Bool) -> Bool {
        name.hasSameBytes(as: other) || (anyCasing && folded(name) == folded(other))
    }

    private static func folded(_ name: String) -> String {
        name.lowercased().filter { $0 != "_" && $0 != "-" }
    }
}

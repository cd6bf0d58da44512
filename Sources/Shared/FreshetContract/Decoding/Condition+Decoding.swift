// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension Condition {
    static func list(_ cursor: DecodingCursor) -> [Condition] { cursor.oneOrMore().compactMap(Condition.init) }

    init?(_ cursor: DecodingCursor) {
        let tests = ["equals", "oneOf", "contains", "exists"]
        guard let fields = cursor.fields(["at"] + tests) else { return nil }
        let place = fields.required("at").flatMap { Selector($0) }
        guard let (key, value) = fields.only(of: tests) else {
            cursor.diagnose("One of \(tests.joined(separator: ", ")) must say what is tested.")
            return nil
        }
        let test = Self.test(key, value)
        guard let place, let test else { return nil }
        self.init(place, test)
    }

    private static func test(_ key: String, _ cursor: DecodingCursor) -> Test? {
        switch key {
        case "equals": return scalar(cursor).map { .oneOf([$0]) }
        case "oneOf":
            guard let items = cursor.items() else { return nil }
            if items.isEmpty { cursor.diagnose("This list must not be empty.") }
            return .oneOf(items.compactMap(scalar))
        case "contains": return cursor.text().map(Test.contains)
        default: return cursor.bool().map(Test.exists)
        }
    }

    private static func scalar(_ cursor: DecodingCursor) -> JSONValue? {
        switch cursor.value {
        case .array, .object:
            cursor.diagnose("A string, a number, true, false or null is expected here, not \(cursor.value.mask).")
            return nil
        default: return cursor.value
        }
    }
}

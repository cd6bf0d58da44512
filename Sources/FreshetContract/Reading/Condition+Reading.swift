// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension Condition {
    static func list(_ spot: Spot) -> [Condition] { spot.oneOrMore().compactMap(Condition.init) }

    init?(_ spot: Spot) {
        let tests = ["equals", "oneOf", "contains", "exists"]
        guard let fields = spot.fields(["at"] + tests) else { return nil }
        let place = fields.required("at").flatMap { Selector($0) }
        guard let (key, value) = fields.only(of: tests) else {
            spot.mistake("One of \(tests.joined(separator: ", ")) says what is tested.")
            return nil
        }
        let test = Self.test(key, value)
        guard let place, let test else { return nil }
        self.init(place, test)
    }

    private static func test(_ key: String, _ spot: Spot) -> Test? {
        switch key {
        case "equals": return scalar(spot).map { .oneOf([$0]) }
        case "oneOf":
            guard let items = spot.items() else { return nil }
            if items.isEmpty { spot.mistake("This list must not be empty.") }
            return .oneOf(items.compactMap(scalar))
        case "contains": return spot.text().map(Test.contains)
        default: return spot.bool().map(Test.exists)
        }
    }

    private static func scalar(_ spot: Spot) -> JSONValue? {
        switch spot.value {
        case .array, .object:
            spot.mistake("A string, a number, true, false or null is expected here, not \(spot.value.mask).")
            return nil
        default: return spot.value
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ContractFixtures
import Testing

@testable import FreshetContract

/// Every node of a correct contract is changed once.
@Suite struct `Contract mutations` {
    private static let values: [JSONValue] = [
        .null, .bool(true), .number(JSONNumber(12345)), .string("text"), .array([]), .object(JSONObject()),
    ]

    @Test func `a value of the wrong type is reported near its path unless the place allows other types`() {
        for place in FullContract.json.places {
            guard let old = FullContract.json.value(at: place) else { continue }
            for value in Self.values where value.mask.prefix(5) != old.mask.prefix(5) {
                let found = diagnostics(in: FullContract.json.replacing(place[...], with: value))
                let isLegal =
                    Self.isFree(place) || (Self.isScalar(place) && value.array == nil && value.object == nil)
                    || (Self.isStoredPlace(place) && value.string != nil)
                guard isLegal != found.isEmpty || !Self.areRelated(found, place) else { continue }
                Issue.record("\(place) = \(value.jsonText): \(found)")
            }
        }
    }

    @Test func `a missing required key is reported near its object, and other keys are optional`() {
        for place in FullContract.json.places {
            guard let name = place.last, FullContract.json.value(at: Array(place.dropLast()))?.object != nil else {
                continue
            }
            let found = diagnostics(in: FullContract.json.replacing(place[...], with: nil))
            if Self.isDeclaration(place) {
                #expect(!found.isEmpty, "\(place): nobody misses it")
            } else if Self.isRequired(place) {
                #expect(!found.isEmpty, "\(place): nobody misses it")
                #expect(Self.areRelated(found, place.dropLast()), "\(place): \(found)")
                // Endpoints are missed for want of the one that refreshes.
                let missed = name == "endpoints" ? "refresh" : name
                let isNamed = found.contains { $0.sentence.contains(missed) || $0.sentence.contains("One of") }
                #expect(isNamed, "\(place): \(found)")
            } else {
                #expect(found == [], "\(place)")
            }
        }
    }

    @Test func `an unknown key is reported at its path`() {
        for place in FullContract.json.places where FullContract.json.value(at: place)?.object != nil {
            let added = place + ["zzz"]
            let found = diagnostics(in: FullContract.json.replacing(added[...], with: .null))
            if Self.isFree(added) {
                #expect(found == [], "\(added)")
            } else {
                #expect(found.map(\.path) == [Self.path(added)], "\(added): \(found)")
            }
        }
    }

    // MARK: What is legal

    /// Places that take any JSON.
    private static func isFree(_ place: [String]) -> Bool {
        if place == ["$schema"] { return true }
        let patterns = [
            ["endpoints", "*", "json"], ["socket", "renewal", "message"], ["server", "replies", "*", "json"],
            ["server", "resources", "*", "reply", "json"], ["server", "errors", "*", "json"],
        ]
        return patterns.contains { matches(place.prefix($0.count), $0) }
    }

    /// Places that take any value but lists and objects.
    private static func isScalar(_ place: [String]) -> Bool {
        place.last == "equals" || place.dropLast().last == "oneOf"
    }

    /// Places that take the name of an item as well as an object.
    private static func isStoredPlace(_ place: [String]) -> Bool {
        ["access", "itemNamedBy"].contains(place.last) && place.first == "storage"
    }

    private static func isDeclaration(_ place: [String]) -> Bool {
        let patterns = [["variables"], ["secrets"], ["variables", "*"], ["secrets", "*"]]
        return patterns.contains { matches(place[...], $0) }
    }

    private static func isRequired(_ place: [String]) -> Bool {
        let patterns = [
            ["contract"], ["name"], ["reply"], ["rotation"], ["endpoints"], ["endpoints", "refresh"],
            ["endpoints", "*", "path"], ["reply", "access"], ["reply", "success", "*", "*"], ["classify", "*", "on"],
            ["classify", "*", "outcome"], ["classify", "*", "if", "at"], ["classify", "*", "if", "oneOf"],
            ["classify", "*", "if", "*", "at"], ["classify", "*", "if", "*", "contains"],
            ["reply", "expiry", "*", "in"],
            ["reply", "expiry", "*", "at"], ["reply", "expiry", "1", "unit"], ["reply", "expiry", "*", "jwt"],
            ["reply", "expiry", "*", "assume"], ["reply", "refreshExpiry", "sources"],
            ["reply", "refreshExpiry", "extends"], ["reply", "refreshExpiry", "sources", "*", "*"],
            ["replay", "methods"],
            ["socket", "path"], ["socket", "token"], ["socket", "token", "header"], ["socket", "renewal", "message"],
            ["storage", "imports", "*", "access"], ["storage", "imports", "*", "expiresAt", "item"],
            ["storage", "imports", "*", "expiresAt", "itemNamedBy"], ["storage", "imports", "*", "expiresAt", "unit"],
            ["storage", "imports", "*", "access", "itemNamedBy"],
            ["storage", "imports", "*", "access", "itemNamedBy", "item"],
            ["server", "rotation"],
            ["server", "resources", "*", "path"], ["server", "resources", "*", "reply"], ["facts", "*", "*"],
        ]
        return patterns.contains { matches(place[...], $0) }
    }

    private static func matches(_ place: ArraySlice<String>, _ pattern: [String]) -> Bool {
        place.count == pattern.count && zip(place, pattern).allSatisfy { $1 == "*" || $0 == $1 }
    }

    // MARK: Paths

    private static func path(_ place: [String]) -> String {
        var path = JSONPath.root
        var value: JSONValue? = FullContract.json
        for token in place {
            if case .array? = value, let index = Int(token) {
                path = JSONPath.item(path, index)
            } else {
                path = JSONPath.member(path, token)
            }
            value = value?.value(at: [token])
        }
        return path
    }

    /// Whether each path lies at, above or below a place.
    private static func areRelated(_ mistakes: [ContractDiagnostic], _ place: [String]) -> Bool {
        let path = path(place)
        return mistakes.allSatisfy { mistake in
            let (short, long) = mistake.path.count < path.count ? (mistake.path, path) : (path, mistake.path)
            return long == short || (long.hasPrefix(short) && ".[".contains(long.dropFirst(short.count).prefix(1)))
        }
    }
}

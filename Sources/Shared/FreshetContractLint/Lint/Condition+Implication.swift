// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension Condition {
    /// Whether every response that passes this test passes the other one.
    func implies(_ other: Condition) -> Bool {
        guard place == other.place else { return false }
        switch (test, other.test) {
        case (.oneOf(let values), _): return values.allSatisfy { other.holds(for: $0) }
        case (.contains(let part), .contains(let wanted)): return part.lowercased().contains(wanted.lowercased())
        case (.contains, .exists(let isWanted)): return isWanted
        case (.exists(let exists), .exists(let isWanted)): return exists == isWanted
        case (.contains, .oneOf), (.exists, .oneOf), (.exists, .contains): return false
        }
    }

    /// Whether no response can pass both tests.
    func excludes(_ other: Condition) -> Bool {
        guard place == other.place else { return false }
        switch (test, other.test) {
        case (.oneOf(let values), _): return !values.contains { other.holds(for: $0) }
        case (_, .oneOf(let values)): return !values.contains { holds(for: $0) }
        case (.contains, .exists(let isWanted)): return !isWanted
        case (.exists(let exists), .contains): return !exists
        case (.exists(let exists), .exists(let isWanted)): return exists != isWanted
        case (.contains, .contains): return false
        }
    }

    /// Whether the condition can hold only for a response with a parsed body.
    var needsBody: Bool {
        guard case .pointer = place else { return false }
        switch test {
        case .exists(let isWanted): return isWanted
        case .contains: return true
        case .oneOf(let values): return !values.contains(.null)
        }
    }

    /// Whether the condition holds for a response without the selected value.
    var holdsWhenAbsent: Bool { holds(for: nil) }
}

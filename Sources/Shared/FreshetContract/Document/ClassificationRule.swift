// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// What an answer means, if it looks like this.
package struct ClassificationRule: Sendable, Equatable {
    package enum Channel: String, Sendable, CaseIterable {
        /// A request of the app that carried the access token.
        case api
        case login
        case refresh
        case logout
        case confirm
        case report
        /// A socket's handshake, or its end.
        case socket
    }

    package enum Outcome: String, Sendable, CaseIterable {
        case delivered
        case accessExpired
        case sessionEnded
        case superseded
        case stepUp
        case forbidden
        case throttled
        case transient
        case refused
        case misconfigured
        case contractViolation
    }

    package var channels: Set<Channel>
    /// `nil` for any.
    package var statuses: [ClosedRange<Int>]?
    /// Close codes of a socket; `nil` for a rule about answers.
    package var closeCodes: [ClosedRange<Int>]?
    package var conditions: [Condition] = []
    package var outcome: Outcome
    package var reason: String?
    package var reasonAt: Selector?
    package var note: String?
}

/// A test of an answer; its places begin at the root of the answer.
package struct Condition: Sendable, Equatable {
    package enum Test: Sendable, Equatable {
        case oneOf([JSONValue])
        /// In any casing.
        case contains(String)
        case exists(Bool)
    }

    package var place: Selector
    package var test: Test

    package init(_ place: Selector, _ test: Test) {
        self.place = place
        self.test = test
    }

    /// Whether the value at the place, if there is one, passes.
    package func holds(for value: JSONValue?) -> Bool {
        switch test {
        case .exists(let isWanted): return (value.map { $0 != .null } ?? false) == isWanted
        case .oneOf(let wanted):
            guard let value else { return false }
            return wanted.contains { $0 == value || ($0.text != nil && $0.text == value.text) }
        case .contains(let part):
            guard let text = value?.text else { return false }
            return text.lowercased().contains(part.lowercased())
        }
    }
}

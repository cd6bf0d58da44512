// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A rule that maps responses or close codes to an outcome.
package struct ClassificationRule: Sendable, Equatable {
    package enum Channel: String, Sendable, CaseIterable {
        /// A request of the app with an access token.
        case api
        case login
        case refresh
        case logout
        case confirm
        case report
        /// A WebSocket handshake or a close.
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
    /// The statuses that match; `nil` for any.
    package var statuses: [ClosedRange<Int>]?
    /// The close codes that match; `nil` for a rule about responses.
    package var closeCodes: [ClosedRange<Int>]?
    package var conditions: [Condition] = []
    package var outcome: Outcome
    package var reason: String?
    package var reasonAt: Selector?
    package var note: String?
}

/// A test of a response; its selector starts at the root of the response.
package struct Condition: Sendable, Equatable {
    package enum Test: Sendable, Equatable {
        case oneOf([JSONValue])
        /// A case-insensitive comparison.
        case contains(String)
        case exists(Bool)
    }

    package var place: Selector
    package var test: Test

    package init(_ place: Selector, _ test: Test) {
        self.place = place
        self.test = test
    }

    /// Whether the selected value, or its absence, passes the test.
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

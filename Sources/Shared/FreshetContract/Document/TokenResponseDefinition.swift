// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Where an answer with tokens says what.
package struct TokenResponseDefinition: Sendable, Equatable {
    package enum Encoding: String, Sendable, CaseIterable {
        case json
        case form
        /// By the answer's content type.
        case auto
    }

    package var encoding = Encoding.json
    /// What a 2xx answer must show to be a success.
    package var success: [Condition] = []
    /// Where the rest is found: the first place that exists.
    package var envelope: [JSONPointer] = []
    package var anyCasing = false
    package var access: [Selector] = []
    package var refresh: [Selector] = []
    package var session: [Selector] = []
    package var tokenType: [Selector] = []
    /// Ways to learn whose session it is, the best first.
    package var users: [UserSource] = []
    package var email: [Selector] = []
    package var username: [Selector] = []
    /// The user's full name.
    package var name: [Selector] = []
    /// Whether this is the user's first sign-in.
    package var isNewUser: [Selector] = []
    /// Whether the user has a profile at the app's backend.
    package var hasProfile: [Selector] = []
    /// In the answer to a request for a code.
    package var attempt: [Selector] = []
    package var expiry: [ExpirySource] = []
    /// The shortest and the longest lifetime that is believed, in seconds.
    package var expiryBounds: ClosedRange<Double>?
    package var refreshExpiry: RefreshExpiry?

    /// When the session ends, whatever is refreshed.
    package struct RefreshExpiry: Sendable, Equatable {
        package var sources: [ExpirySource]
        /// Whether a refresh moves the end.
        package var extends: Bool
    }
}

/// A way to learn how long a token lives.
package enum ExpirySource: Sendable, Equatable {
    package enum Unit: String, Sendable, CaseIterable {
        case seconds = "s"
        case milliseconds = "ms"
        case iso8601
        case httpDate = "http-date"
    }

    /// A lifetime, counted from the answer, or from an instant that the answer names in seconds since 1970.
    case lifetime(Selector, Unit, since: Selector?)
    /// An instant.
    case instant(Selector, Unit)
    /// The token's own `exp`.
    case token
    /// Nothing says it; this many seconds.
    case assumed(Double)
}

/// A place in an answer.
package enum Selector: Sendable, Hashable {
    case pointer(JSONPointer)
    case header(String)
    case cookie(String)

    /// - Returns: `nil` for a text that names no place.
    package init?(_ text: String) {
        if let pointer = JSONPointer(text), !text.isEmpty {
            self = .pointer(pointer)
        } else if text.hasPrefix("header:"), String(text.dropFirst(7)).isHTTPToken {
            self = .header(String(text.dropFirst(7)))
        } else if text.hasPrefix("cookie:"), String(text.dropFirst(7)).isHTTPToken {
            self = .cookie(String(text.dropFirst(7)))
        } else {
            return nil
        }
    }
}

extension Selector: CustomStringConvertible {
    package var description: String {
        switch self {
        case .pointer(let pointer): pointer.description
        case .header(let name): "header:\(name)"
        case .cookie(let name): "cookie:\(name)"
        }
    }
}

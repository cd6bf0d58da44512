// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The places of tokens and other values in a token response.
package struct TokenResponseDefinition: Sendable, Equatable {
    package enum Encoding: String, Sendable, CaseIterable {
        case json
        case form
        /// The encoding that the Content-Type of the response names.
        case auto
    }

    package var encoding = Encoding.json
    /// The conditions that a 2xx response must meet to be a success.
    package var success: [Condition] = []
    /// The objects in which the values may be; the first that exists is used.
    package var envelope: [JSONPointer] = []
    package var anyCasing = false
    package var access: [Selector] = []
    package var refresh: [Selector] = []
    package var session: [Selector] = []
    package var tokenType: [Selector] = []
    /// The sources of the user's ID, in order of preference.
    package var users: [UserSource] = []
    package var email: [Selector] = []
    package var username: [Selector] = []
    /// The user's full name.
    package var name: [Selector] = []
    /// Whether this is the user's first sign-in.
    package var isNewUser: [Selector] = []
    /// Whether the user has a profile at the app's backend.
    package var hasProfile: [Selector] = []
    /// The place of the attempt in the response to a request for a code.
    package var attempt: [Selector] = []
    package var expiry: [ExpirySource] = []
    /// The shortest and the longest lifetime that is accepted, in seconds.
    package var expiryBounds: ClosedRange<Double>?
    package var refreshExpiry: RefreshExpiry?

    /// The expiry of the session.
    package struct RefreshExpiry: Sendable, Equatable {
        package var sources: [ExpirySource]
        /// Whether a refresh extends the session.
        package var extends: Bool
    }
}

/// A source of a token's expiry.
package enum ExpirySource: Sendable, Equatable {
    package enum Unit: String, Sendable, CaseIterable {
        case seconds = "s"
        case milliseconds = "ms"
        case iso8601
        case httpDate = "http-date"
    }

    /// A lifetime, counted from the response, or from a timestamp in it in seconds since 1970.
    case lifetime(Selector, Unit, since: Selector?)
    /// A timestamp.
    case instant(Selector, Unit)
    /// The `exp` claim of the token.
    case token
    /// An assumed lifetime in seconds, if the response states none.
    case assumed(Double)
}

/// A place in a response.
package enum Selector: Sendable, Hashable {
    case pointer(JSONPointer)
    case header(String)
    case cookie(String)

    /// Parses a selector; `nil` for any other text.
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

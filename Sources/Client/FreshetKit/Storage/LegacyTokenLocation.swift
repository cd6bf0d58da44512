// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The items in which an older version of the app stored its tokens, for ``Contract/importing(_:)``.
///
///     LegacyTokenLocation(access: "access_token", refresh: "refresh_token", expiresAt: .seconds("expires_at"))
///
/// A location contains no tokens.
public struct LegacyTokenLocation: Sendable, Equatable {
    /// The place of one value: the text of an item, or a member of an item that contains JSON.
    public struct Place: Sendable, Equatable {
        /// The item's key: the account of a keychain item, or a key of another storage.
        public var item: String
        /// The keychain service; `nil` for the one that ``LegacyKeychainItems`` was created with.
        public var service: String?
        /// The names of the members that lead to the value in the item's JSON.
        ///
        /// An empty array stands for the item's whole text.
        public var path: [String]

        /// Names an item, and the members that lead to the value if the item contains JSON.
        ///
        ///     .init("session", at: "tokens", "access")  // {"tokens": {"access": "…"}}
        public init(_ item: String, service: String? = nil, at path: String...) {
            self.item = item
            self.service = service
            self.path = path
        }
    }

    /// The place and the format of the access token's expiry.
    @nonexhaustive
    public enum Expiry: Sendable, Equatable {
        /// A date of ISO 8601, such as `2026-01-31T08:00:00Z`.
        case iso8601(Place)
        /// Seconds since 1970.
        case seconds(Place)
        /// Milliseconds since 1970.
        case milliseconds(Place)
    }

    /// The place of the access token.
    ///
    /// If there is no such item, nothing is imported from this location.
    public var access: Place
    /// The place of the refresh token, if there is one.
    public var refresh: Place?
    /// The place of the access token's expiry.
    ///
    /// If the token has an expiry of its own, the earlier one counts. A token of unknown expiry is refreshed before it
    /// is used.
    public var expiresAt: Expiry?
    /// Whether the keychain items are synchronized between the user's devices; these are not deleted.
    public var isSynchronizable: Bool

    /// Creates a location.
    public init(access: Place, refresh: Place? = nil, expiresAt: Expiry? = nil, isSynchronizable: Bool = false) {
        self.access = access
        self.refresh = refresh
        self.expiresAt = expiresAt
        self.isSynchronizable = isSynchronizable
    }
}

extension LegacyTokenLocation.Place: ExpressibleByStringLiteral {
    /// Names an item whose whole text is the value.
    public init(stringLiteral item: String) { self.init(item) }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract
internal import FreshetWire

/// The tokens of an older version of the app.
struct LegacyTokens: Equatable, Sendable, Masked {
    var accessToken: String
    var refreshToken: String?
    /// The expiry of the access token, in seconds since 1970 by this device's wall clock.
    var endsAt: Double?
    /// The items that they were read from.
    var items: [LegacyItem] = []
    /// Whether the import names a place for the refresh token, and there is none.
    var lacksRefreshToken = false

    var mask: String { "LegacyTokens(•••)" }

    /// The result of a search.
    enum SearchResult: Equatable, Sendable {
        case tokens(LegacyTokens)
        /// Items were found, but no access token.
        case noAccessToken
        case noItems
    }

    /// Returns the tokens of the first import that finds an access token.
    static func find(
        _ imports: [StorageDefinition.Import],
        in items: some LegacyTokenSource
    ) throws(SessionStoreError) -> SearchResult {
        var hasItems = false
        for places in imports {
            var reader = LegacyTokenReader(items: items, isSynchronizable: places.synchronizable)
            guard let accessToken = try reader.value(places.access)?.text, !accessToken.isEmpty else {
                // A refresh token without its access token is an item, too. A fault must not stop the next import.
                if let place = places.refresh { _ = try? reader.value(place) }
                hasItems = hasItems || reader.hasText
                continue
            }
            let refreshToken = try places.refresh.flatMap { place throws(SessionStoreError) in
                try reader.value(place)?.text
            }
            let end = try places.expiresAt.flatMap { place throws(SessionStoreError) in try reader.value(place) }
            var tokens = LegacyTokens(
                accessToken: accessToken,
                refreshToken: refreshToken?.isEmpty == true ? nil : refreshToken,
                endsAt: end.flatMap(places.expiryUnit.instant),
                items: reader.read
            )
            tokens.lacksRefreshToken = places.refresh != nil && tokens.refreshToken == nil
            return .tokens(tokens)
        }
        return hasItems ? .noAccessToken : .noItems
    }

    /// The expiry of the access token by its item or its own claim, whichever is earlier; `nil` if neither can be read.
    var expiry: Date? {
        let ends = [endsAt, JWTTimes(accessToken)?.expiresAt].compactMap(\.self).filter(\.isFinite)
        return ends.min().map { Date(timeIntervalSince1970: $0) }
    }

    /// Returns the remaining lifetime of the access token in seconds, as far as it is known.
    ///
    /// A token of unknown age counts as expired: the session then starts with a refresh.
    func lifetime(at now: Date) -> Double {
        max(0, expiry?.timeIntervalSince(now) ?? 0)
    }
}

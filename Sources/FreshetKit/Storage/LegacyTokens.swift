// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract
internal import FreshetWire

/// The tokens of an older version of the app.
struct LegacyTokens: Equatable, Sendable, Masked {
    var accessToken: String
    var refreshToken: String?
    /// When the access token ends, in seconds since 1970 by this device's wall clock.
    var endsAt: Double?

    var mask: String { "LegacyTokens(•••)" }

    /// The tokens of the first import that finds an access token.
    static func find(
        _ imports: [StorageShape.Import],
        in items: some LegacyItems
    ) throws(StoreUnavailable) -> LegacyTokens? {
        for places in imports {
            func text(_ key: String?) throws(StoreUnavailable) -> String? {
                guard let key, let text = try items.text(for: key, isSynchronizable: places.synchronizable) else {
                    return nil
                }
                return text.isEmpty ? nil : text
            }
            guard let accessToken = try text(places.access) else { continue }
            let end = try text(places.expiresAt).flatMap { places.expiryUnit.instant(.string($0)) }
            return LegacyTokens(accessToken: accessToken, refreshToken: try text(places.refresh), endsAt: end)
        }
        return nil
    }

    /// How long the access token still lives, in seconds, as far as anything says it.
    ///
    /// An age that nobody knows counts as over: the session then begins with a refresh.
    func lifetime(at now: Date) -> Double {
        let ends = [endsAt, JWTTimes(accessToken)?.expiresAt].compactMap(\.self).filter(\.isFinite)
        return max(0, (ends.min() ?? 0) - now.timeIntervalSince1970)
    }
}

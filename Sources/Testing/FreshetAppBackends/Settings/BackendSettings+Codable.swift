// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetKit
internal import FreshetTesting

extension BackendSettings: Codable {
    fileprivate enum CodingKeys: String, CodingKey, CaseIterable {
        case rotates, casing
        case accessLifetime = "access_lifetime"
        case refreshLifetime = "refresh_lifetime"
        case extendsRefreshLifetime = "extends_refresh_lifetime"
        case repeatsRefreshToken = "repeats_refresh_token"
        case detectsReuse = "detects_reuse"
        case grantsRefreshToken = "grants_refresh_token"
        case statesExpiry = "states_expiry"
        case grantsReadableTokens = "grants_readable_tokens"
        case refusalStatus = "refusal_status"
        case isLegacy = "is_legacy"
        case hasLogout = "has_logout"
        case socketPingInterval = "socket_ping_interval"
        case closesSocketsAtExpiry = "closes_sockets_at_expiry"
        case socketExpiryCode = "socket_expiry_code"
        case refreshTokenPlace = "refresh_token_place"
        case clockSkew = "clock_skew"
        case otherOrigin = "other_origin"
    }

    /// Decodes all settings; durations are in seconds.
    package init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(except: CodingKeys.allCases)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        accessLifetime = try container.duration(.accessLifetime, from: 1)
        refreshLifetime = try container.duration(.refreshLifetime, from: 1)
        rotates = try container.decode(Bool.self, forKey: .rotates)
        extendsRefreshLifetime = try container.decode(Bool.self, forKey: .extendsRefreshLifetime)
        repeatsRefreshToken = try container.decode(Bool.self, forKey: .repeatsRefreshToken)
        detectsReuse = try container.decode(Bool.self, forKey: .detectsReuse)
        grantsRefreshToken = try container.decode(Bool.self, forKey: .grantsRefreshToken)
        statesExpiry = try container.decode(Bool.self, forKey: .statesExpiry)
        grantsReadableTokens = try container.decode(Bool.self, forKey: .grantsReadableTokens)
        refusalStatus = try container.decode(Int.self, forKey: .refusalStatus)
        isLegacy = try container.decode(Bool.self, forKey: .isLegacy)
        socketPingInterval = try container.duration(.socketPingInterval, from: 0.01)
        closesSocketsAtExpiry = try container.decode(Bool.self, forKey: .closesSocketsAtExpiry)
        socketExpiryCode = try container.decode(Int.self, forKey: .socketExpiryCode)
        hasLogout = try container.decode(Bool.self, forKey: .hasLogout)
        casing = try container.decode(Casing.self, forKey: .casing)
        refreshTokenPlace = try container.decode(TokenPlace.self, forKey: .refreshTokenPlace)
        clockSkew = try container.duration(.clockSkew, from: -Self.longestDuration)
        otherOrigin = try container.decode(String.self, forKey: .otherOrigin)
        guard 1000..<5000 ~= socketExpiryCode else {
            throw DecodingError.dataCorruptedError(
                forKey: .socketExpiryCode,
                in: container,
                debugDescription: "a close code is a number from 1000 to 4999"
            )
        }
        guard 400..<500 ~= refusalStatus else {
            throw DecodingError.dataCorruptedError(
                forKey: .refusalStatus,
                in: container,
                debugDescription: "a refusal is a number from 400 to 499"
            )
        }
    }

    /// Encodes all settings; durations are in seconds.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(accessLifetime.inSeconds, forKey: .accessLifetime)
        try container.encode(refreshLifetime.inSeconds, forKey: .refreshLifetime)
        try container.encode(rotates, forKey: .rotates)
        try container.encode(extendsRefreshLifetime, forKey: .extendsRefreshLifetime)
        try container.encode(repeatsRefreshToken, forKey: .repeatsRefreshToken)
        try container.encode(detectsReuse, forKey: .detectsReuse)
        try container.encode(grantsRefreshToken, forKey: .grantsRefreshToken)
        try container.encode(statesExpiry, forKey: .statesExpiry)
        try container.encode(grantsReadableTokens, forKey: .grantsReadableTokens)
        try container.encode(refusalStatus, forKey: .refusalStatus)
        try container.encode(isLegacy, forKey: .isLegacy)
        try container.encode(hasLogout, forKey: .hasLogout)
        try container.encode(socketPingInterval.inSeconds, forKey: .socketPingInterval)
        try container.encode(closesSocketsAtExpiry, forKey: .closesSocketsAtExpiry)
        try container.encode(socketExpiryCode, forKey: .socketExpiryCode)
        try container.encode(casing, forKey: .casing)
        try container.encode(refreshTokenPlace, forKey: .refreshTokenPlace)
        try container.encode(clockSkew.inSeconds, forKey: .clockSkew)
        try container.encode(otherOrigin, forKey: .otherOrigin)
    }

    /// A century, in seconds: longer durations are useless in tests, and may overflow `Duration`.
    fileprivate static let longestDuration = 100 * 365.25 * 86_400
}

extension KeyedDecodingContainer<BackendSettings.CodingKeys> {
    fileprivate func duration(_ key: Key, from shortest: Double) throws -> Duration {
        let seconds = try decode(Double.self, forKey: key)
        guard shortest...BackendSettings.longestDuration ~= seconds else {
            throw DecodingError.dataCorruptedError(
                forKey: key,
                in: self,
                debugDescription: "\(key.stringValue) is a number of seconds, at most a century"
            )
        }
        return .seconds(seconds)
    }
}

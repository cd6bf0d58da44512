// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// How a backend's double behaves; the defaults are what the app's backend does.
public struct BackendSettings: Sendable, Equatable {
    /// How keys are written.
    public enum Casing: String, Sendable, Codable {
        /// As in `access_token`.
        case snake
        /// As in `accessToken`.
        case camel
        /// Each key twice, once in either casing, as a server does whose clients disagree.
        case both
    }

    /// Where a refresh token is expected.
    public enum TokenPlace: String, Sendable, Codable {
        /// In a field of a JSON body.
        case json
        /// In a field of a form.
        case form
        /// In the Authorization field, without a body.
        case bearer
    }

    /// How long access tokens live that are granted from now on; whole seconds.
    public var accessLifetime: Duration
    /// How long refresh tokens live that are granted from now on.
    public var refreshLifetime: Duration
    /// Whether a refresh answers with a new refresh token, after which the old one is refused.
    public var rotates: Bool
    /// Whether a new refresh token lives its whole lifetime, or to the end of the first one.
    public var extendsRefreshLifetime: Bool
    /// Whether a refresh answers with the refresh token that it was asked with, where the backend does not rotate.
    public var repeatsRefreshToken: Bool
    /// Whether a refresh token that was used already ends its session.
    public var detectsReuse = false
    /// Whether a sign-in grants a refresh token.
    public var grantsRefreshToken = true
    /// Whether answers say how long the access token lives, where the app's backend does.
    public var statesExpiry = true
    /// Whether access tokens are JWTs; else they say nothing to anybody.
    public var grantsReadableTokens = true
    /// The status of a refresh that is refused because of its token.
    public var refusalStatus = 401
    /// Whether this is melchat's older backend: one token, no refresh, no sign-out.
    public var isLegacy = false
    /// Whether there is a path that ends a session; melchat's backend has one, the others let the app forget its tokens.
    public var hasLogout: Bool
    /// How the backends of outbox and bitbasel write the keys of their answers with tokens.
    public var casing = Casing.snake
    /// Where the refresh token is expected.
    public var refreshTokenPlace: TokenPlace
    /// How often an open socket is pinged.
    public var socketPingInterval = Duration.seconds(20)
    /// Whether a socket is closed when the access token expires that opened it.
    public var closesSocketsAtExpiry = true
    /// The close code for a token that has expired (RFC 6455 section 7.4.1: 1008 is a policy violation).
    public var socketExpiryCode = 1008
    /// How much later the backend's clock is than the true time.
    ///
    /// It shows in tokens and in the Date field. When it changes, the clock steps, and tokens end sooner or later for it.
    public var clockSkew = Duration.zero
    /// The origin that redirects lead to unless they say another; requests to it are counted apart.
    public var otherOrigin = "https://elsewhere.example"

    /// What the backend of that app does.
    public init(for app: AppBackend.App) {
        switch app {
        case .authservice: (accessLifetime, refreshLifetime, rotates) = (.minutes(10), .days(90), true)
        case .bitbasel: (accessLifetime, refreshLifetime, rotates) = (.minutes(30), .days(7), false)
        case .melchat: (accessLifetime, refreshLifetime, rotates) = (.days(30), .days(30), false)
        case .creatist: (accessLifetime, refreshLifetime, rotates) = (.minutes(15), .days(30), true)
        case .outbox: (accessLifetime, refreshLifetime, rotates) = (.minutes(15), .days(30), true)
        }
        extendsRefreshLifetime = app != .bitbasel
        repeatsRefreshToken = app != .melchat && app != .creatist
        refreshTokenPlace = app == .authservice ? .bearer : .json
        hasLogout = app == .melchat
    }

    /// The host of the other origin, as a request names it.
    package var otherHost: String? {
        guard let parts = URLComponents(string: otherOrigin), let host = parts.host?.lowercased() else { return nil }
        return parts.port.map { "\(host):\($0)" } ?? host
    }
}

extension Duration {
    fileprivate static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }
    fileprivate static func days(_ count: Int) -> Duration { .seconds(86_400 * count) }
}

extension BackendSettings.Casing {
    /// The members in this casing.
    func members(
        snake: KeyValuePairs<String, BackendJSON?>,
        camel: KeyValuePairs<String, BackendJSON?>
    ) -> BackendJSON {
        switch self {
        case .snake: .members(snake)
        case .camel: .members(camel)
        case .both: .members(snake).adding(camel)
        }
    }
}

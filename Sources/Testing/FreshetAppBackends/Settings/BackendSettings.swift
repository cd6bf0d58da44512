// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// The behaviour of a fake backend; the defaults are those of the app's own backend.
package struct BackendSettings: Sendable, Equatable {
    /// The case of JSON keys.
    package enum Casing: String, Sendable, Codable {
        /// Snake case, as in `access_token`.
        case snake
        /// Camel case, as in `accessToken`.
        case camel
        /// Each member in both cases, as some servers send for different clients.
        case both
    }

    /// The place in which the backend expects a refresh token.
    package enum TokenPlace: String, Sendable, Codable {
        /// A member of a JSON body.
        case json
        /// A field of a form.
        case form
        /// The Authorization header, without a body.
        case bearer
    }

    /// The lifetime of access tokens granted from now on, in whole seconds.
    package var accessLifetime: Duration
    /// The lifetime of refresh tokens granted from now on.
    package var refreshLifetime: Duration
    /// Whether a refresh returns a new refresh token and invalidates the old one.
    package var rotates: Bool
    /// Whether a rotated refresh token gets a full lifetime instead of the first one's expiry.
    package var extendsRefreshLifetime: Bool
    /// Whether a refresh returns the presented refresh token, if the backend does not rotate.
    package var repeatsRefreshToken: Bool
    /// Whether the reuse of a refresh token ends its session.
    package var detectsReuse = false
    /// Whether a sign-in grants a refresh token.
    package var grantsRefreshToken = true
    /// Whether responses state the lifetime of the access token, if the app's backend does.
    package var statesExpiry = true
    /// Whether access tokens are JWTs instead of opaque.
    package var grantsReadableTokens = true
    /// The status of a refresh that is refused because of its refresh token.
    package var refusalStatus = 401
    /// Whether this is melchat's legacy backend: one token, no refresh, no sign-out.
    package var isLegacy = false
    /// Whether the backend has a sign-out endpoint; only melchat's backend has one by default.
    package var hasLogout: Bool
    /// The case of the keys in token responses of the outbox and bitbasel backends.
    package var casing = Casing.snake
    /// The place in which the backend expects the refresh token.
    package var refreshTokenPlace: TokenPlace
    /// The interval between pings on an open socket.
    package var socketPingInterval = Duration.seconds(20)
    /// Whether a socket is closed when the access token that opened it expires.
    package var closesSocketsAtExpiry = true
    /// The close code for an expired token (RFC 6455 section 7.4.1: 1008 is a policy violation).
    package var socketExpiryCode = 1008
    /// The amount by which the backend's clock is ahead of the true time.
    ///
    /// It affects tokens and the Date header. When it changes, the clock steps, and tokens expire earlier or later.
    package var clockSkew = Duration.zero
    /// The default target origin of redirects; requests to it are counted separately.
    package var otherOrigin = "https://elsewhere.example"

    /// Creates the settings of the app's own backend.
    package init(for app: BackendApp) {
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

    /// The host of the other origin, as in the Host header.
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
    /// Returns the members in this case.
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

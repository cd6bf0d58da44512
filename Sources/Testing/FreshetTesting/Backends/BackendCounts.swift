// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// What a backend's double has seen.
///
/// A request that was lost on the way was not seen.
public struct BackendCounts: Sendable, Equatable, Codable {
    /// Sign-ins that were granted, whether or not the answer arrived.
    public var logins = 0
    /// Refreshes that arrived, whatever became of them.
    public var refreshes = 0
    /// Refreshes that were granted, whether or not the answer arrived.
    public var grantedRefreshes = 0
    /// Sign-outs that were carried out, of one session or of all of a user's.
    public var logouts = 0
    /// Requests of the app.
    public var requests = 0
    /// How many of those were answered with 401.
    public var refusals = 0
    /// Socket handshakes that arrived, whatever became of them.
    public var handshakes = 0
    /// Pings of sockets that clients answered.
    public var pongs = 0
    /// Requests that arrived at the other origin.
    public var strays = 0
    /// How many of those carried a token.
    public var straysWithToken = 0

    /// Nothing was seen.
    public init() {}

    enum CodingKeys: String, CodingKey {
        case logins, refreshes, logouts, requests, refusals, handshakes, pongs, strays
        case grantedRefreshes = "granted_refreshes"
        case straysWithToken = "strays_with_token"
    }

    mutating func add(_ exchange: BackendExchange, isGranted: Bool) {
        switch exchange.endpoint {
        case .login: logins += isGranted ? 1 : 0
        case .refresh:
            refreshes += 1
            grantedRefreshes += isGranted ? 1 : 0
        case .logout: logouts += isGranted ? 1 : 0
        case .socket: handshakes += 1
        case .elsewhere:
            strays += 1
            straysWithToken += exchange.tokens.isEmpty ? 0 : 1
        case .api, .path:
            requests += 1
            refusals += exchange.status == 401 ? 1 : 0
        case .code: break
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The numbers of requests that a fake backend has received.
///
/// A request that was lost before it arrived is not counted.
public struct BackendCounts: Sendable, Equatable, Codable {
    /// Granted sign-ins, whether or not the response arrived.
    public var logins = 0
    /// Refreshes that arrived, granted or not.
    public var refreshes = 0
    /// Granted refreshes, whether or not the response arrived.
    public var grantedRefreshes = 0
    /// Completed sign-outs, of one session or of all sessions of a user.
    public var logouts = 0
    /// Requests of the app.
    public var requests = 0
    /// Requests of the app that were answered with 401.
    public var refusals = 0
    /// Socket handshakes that arrived, accepted or not.
    public var handshakes = 0
    /// Pings that clients answered.
    public var pongs = 0
    /// Requests that arrived at the other origin.
    public var strays = 0
    /// Requests with a token that arrived at the other origin.
    public var straysWithToken = 0

    /// Creates counts of zero.
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

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetTesting

/// The numbers of requests that a fake backend has received.
///
/// A request that was lost before it arrived is not counted.
package struct BackendCounts: Sendable, Equatable, Codable {
    /// Granted sign-ins, whether or not the response arrived.
    package var logins = 0
    /// Refreshes that arrived, granted or not.
    package var refreshes = 0
    /// Granted refreshes, whether or not the response arrived.
    package var grantedRefreshes = 0
    /// Completed sign-outs, of one session or of all sessions of a user.
    package var logouts = 0
    /// Requests of the app.
    package var requests = 0
    /// Requests of the app that were answered with 401.
    package var refusals = 0
    /// Socket handshakes that arrived, accepted or not.
    package var handshakes = 0
    /// Pings that clients answered.
    package var pongs = 0
    /// Requests that arrived at the other origin.
    package var strays = 0
    /// Requests with a token that arrived at the other origin.
    package var straysWithToken = 0

    /// Creates counts of zero.
    package init() {}

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

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetAppBackends
import FreshetTesting

/// The requests that a fake backend has received, without tokens.
struct CountsReport: Encodable {
    struct Exchange: Encodable {
        var method: String
        var path: String
        var endpoint: BackendEndpoint
        var tokens: [String]
        var status: Int?
    }

    var app: String
    var counts: BackendCounts
    var liveSessions: Int
    var openSockets: Int
    /// The latest requests, the oldest first.
    var exchanges: [Exchange]

    enum CodingKeys: String, CodingKey {
        case app, counts, exchanges
        case liveSessions = "live_sessions"
        case openSockets = "open_sockets"
    }

    init(_ backend: AppBackend) {
        app = backend.app.rawValue
        counts = backend.counts
        liveSessions = backend.liveSessions
        openSockets = backend.openSockets
        exchanges = backend.exchanges.map {
            Exchange(
                method: $0.request.method,
                path: $0.request.path,
                endpoint: $0.endpoint,
                tokens: $0.tokens,
                status: $0.status
            )
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetHTTP
import FreshetIdentity
import FreshetWire
import Hummingbird

/// The feed that notifies resource servers of ended sessions.
///
/// A long poll: `GET /v1/ended?after=CURSOR&wait=SECONDS`, for confidential clients.
struct RevocationFeedRoutes: Sendable {
    let clients: ClientAuthentication
    let reader: RevocationFeedReader

    func add(to table: inout RouteTable) {
        guard clients.registry?.hasConfidential == true else { return }
        table.on(.get, NativePath.ended) { request, _ in
            _ = try await clients.confidentialClient(
                authorization: request.headers[values: .authorization],
                fields: [:]
            )
            let query = request.uri.queryParameters
            var cursor: RevocationFeedCursor?
            if let text = query["after"], !text.isEmpty {
                cursor = RevocationFeedCursor(String(text))
                guard cursor != nil else {
                    throw APIError(.invalidRequest, "after must be a cursor of an earlier response")
                }
            }
            var wait = 0
            if let text = query["wait"] {
                guard let seconds = Int(text), (0...RevocationFeedReader.maximumWait).contains(seconds) else {
                    throw APIError(
                        .invalidRequest,
                        "wait must be between 0 and \(RevocationFeedReader.maximumWait) seconds"
                    )
                }
                wait = seconds
            }
            return .json(try await reader.page(after: cursor, wait: wait))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

/// A change of a watched session, as a JSON object for scripts.
struct WatchRecord: Encodable {
    var date: Date
    var event: String
    var message: String
    var state: String
    var session: String?
    var generation: UInt64?
    var accessTokenExpiresAt: Date?
    var nextRefreshAt: Date?

    private enum CodingKeys: String, CodingKey {
        case date, event, message, state, session, generation
        case accessTokenExpiresAt = "access_token_expires_at"
        case nextRefreshAt = "next_refresh_at"
    }

    init(_ entry: WatchEntry, _ view: WatchView) {
        date = entry.date
        event = entry.name
        message = entry.text
        state = StatusView.description(view.status.state).0
        session = view.status.sessionID
        generation = view.status.generation
        accessTokenExpiresAt = view.status.accessTokenExpiresAt
        nextRefreshAt = view.nextRefreshAt
    }
}

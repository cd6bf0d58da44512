// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

/// One change of a watched session.
struct WatchEntry: Equatable, Sendable {
    var date: Date
    /// The name for scripts, such as `refreshed`.
    var name: String
    /// A sentence for users, without a token.
    var text: String

    init(date: Date, name: String, text: String) {
        self.date = date
        self.name = name
        self.text = text
    }

    /// Creates the entry of an event; `nil` for a detail that is of use in a log only.
    init?(_ event: SessionEvent) {
        switch event.kind {
        case .networkChanged: break
        // The view says how the session is refreshed while it is watched.
        case .phaseChanged: return nil
        default: guard event.kind.logLevel >= .info else { return nil }
        }
        self.init(date: event.date, name: event.kind.name, text: event.description)
    }
}

extension SessionEvent.Kind {
    /// The name of the event for scripts.
    var name: String {
        switch self {
        case .signedIn: "signed_in"
        case .stateChanged(.signedOut): "signed_out"
        case .stateChanged: "state_changed"
        case .refreshStarted: "refresh_started"
        case .refreshAttempted: "refresh_attempted"
        case .retrying: "retrying"
        case .refreshed: "refreshed"
        case .adopted: "adopted"
        case .refreshFailed: "refresh_failed"
        case .joined: "joined"
        case .userIdentified: "user_identified"
        case .replayed: "replayed"
        case .replayAnswered: "replay_answered"
        case .unsaved: "unsaved"
        case .saved: "saved"
        case .logoutDelivered: "logout_delivered"
        case .networkChanged: "network_changed"
        case .phaseChanged: "phase_changed"
        case .backgroundRefreshScheduled: "background_refresh_scheduled"
        case .accessTokenReceived: "access_token"
        case .importIncomplete: "import_incomplete"
        }
    }
}

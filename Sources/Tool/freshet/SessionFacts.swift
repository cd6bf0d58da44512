// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import FreshetKit

/// The facts of a session that several commands show.
enum SessionFacts {
    /// Returns one line for each fact, a name and a value, with aligned values.
    static func lines(_ facts: [(name: String, value: String)]) -> [String] {
        let width = facts.map(\.name.count).max() ?? 0
        return facts.map { $0.name + String(repeating: " ", count: width - $0.name.count + 2) + $0.value }
    }

    /// Returns the facts of what the store and the server do not have yet.
    static func pending(isSaved: Bool, hasPendingLogout: Bool) -> [(name: String, value: String)] {
        var facts: [(name: String, value: String)] = []
        if !isSaved { facts.append(("unsaved", "the newest tokens are in memory only")) }
        if hasPendingLogout { facts.append(("sign-out", "the server was not notified of one yet")) }
        return facts
    }
}

extension SessionState {
    /// Fails with the exit code of a command that shows the session: 4 if the user is signed out, 6 if the store cannot be
    /// read.
    func requireSignedIn() throws {
        switch self {
        case .unknown: throw ExitCode(6)
        case .recordUnusable, .signedOut, .ending: throw ExitCode(4)
        case .active, .refreshing, .offline: break
        }
    }
}

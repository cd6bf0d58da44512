// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SeededRandom

/// A further device of a history, whose app refreshes with an OAuth library at the servers' token endpoint.
package struct OAuthPlan: Codable, Sendable, Equatable {
    var actions: [TimedAction]

    struct TimedAction: Codable, Sendable, Equatable {
        /// In milliseconds.
        var time: Int
        var kind: Kind
        /// Decides how much, how long, or how often.
        var size: Int
    }

    /// Something that a user, an operator, another holder of a token or the environment does.
    enum Kind: String, CaseIterable, Codable, Sendable {
        case read, refresh
        case refreshOften = "refresh several times"
        case killProcess = "kill the process"
        case killDuringRefresh = "kill the process during a refresh"
        case loseResponses = "lose responses to refreshes"
        case revokeRefreshToken = "revoke the refresh token"
        case revokeAccessToken = "revoke the access token"
        case signInAgain = "sign in again"
        case endFromAnotherDevice = "end the session from another device"
        case signOutEverywhere = "sign out everywhere from another device"
        case steal = "copy the refresh token"
        case replay = "present a superseded token elsewhere"
        case presentElsewhere = "present the refresh token at another path or as another client"
        case endByOperator = "an operator ends the session"
        case disableAccount = "disable the account"
        case deleteAccount = "delete the account"

        /// Whether every history may contain it.
        var isAlwaysPossible: Bool { [.read, .refresh, .refreshOften].contains(self) }

        /// The commands of an operator, which another process runs: a server must search for the sessions that they end.
        static let ofOperator: Set<Kind> = [.endByOperator, .disableAccount, .deleteAccount]
    }
}

extension HistoryPlan {
    /// Draws the device with an OAuth library; there is none in seven of eight plans.
    ///
    /// - Parameter end: The time of the last action.
    mutating func drawOAuth(until end: Duration) {
        var random = SeededRandomStream(seed: seed, device: 0, matter: 90)
        guard random.number(in: 0...7) == 0 else { return }
        // Each kind is absent from half of the histories: many at once hide what one of them alone does.
        let kinds = OAuthPlan.Kind.allCases.filter {
            $0.isAlwaysPossible || random.number(in: 0...1) == 1
        }
        let actions = random.actions(atMoments: 5...12, each: 1...3, until: end) { time, random in
            OAuthPlan.TimedAction(
                time: time,
                kind: kinds[random.number(in: 0...kinds.count - 1)],
                size: random.number(in: 0...1000)
            )
        }
        oauth = OAuthPlan(actions: actions.sorted { $0.time < $1.time })
    }

    /// Returns a shorter plan that has the same property, by leaving out the device with an OAuth library or its actions.
    func shrunkOAuth(while holds: (HistoryPlan) throws -> Bool) rethrows -> HistoryPlan {
        guard oauth != nil else { return self }
        var without = self
        without.oauth = nil
        return try holds(without) ? without : leavingOut(\.oauthActions, while: holds)
    }

    private var oauthActions: [OAuthPlan.TimedAction] {
        get { oauth?.actions ?? [] }
        set { oauth?.actions = newValue }
    }
}

extension OAuthPlan {
    /// The device and its actions in plain words, one line for each action.
    var lines: [String] {
        ["a device with an OAuth library"]
            + actions.map { "after \($0.time / 1000) s: \($0.kind.rawValue) (OAuth, size \($0.size))" }
    }
}

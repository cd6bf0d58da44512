// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

/// A description of the client's reaction to an outcome.
enum ClientAction {
    typealias Outcome = ClassificationRule.Outcome

    static func phrase(_ outcome: Outcome, on channel: ClassificationRule.Channel, isConfirmed: Bool) -> String {
        switch channel {
        case .login: login(outcome)
        case .refresh: refresh(outcome, isConfirmed)
        case .api: api(outcome)
        case .socket: socket(outcome)
        case .logout: logout(outcome, isConfirmed)
        case .confirm: "goes on: nothing depends on it"
        case .report: report(outcome)
        }
    }

    private static func login(_ outcome: Outcome) -> String {
        switch outcome {
        case .delivered: "stores the session"
        case .refused: "shows the user why"
        case .accessExpired, .forbidden, .stepUp: "tells the app that access is denied"
        case .throttled, .transient: "tells the app to try later"
        case .sessionEnded: "tells the app that the user is signed out"
        case .superseded, .misconfigured, .contractViolation: "tells the app of a fault for its developer"
        }
    }

    private static func refresh(_ outcome: Outcome, _ isConfirmed: Bool) -> String {
        switch outcome {
        case .delivered:
            isConfirmed ? "stores the new tokens, then uses and confirms them" : "stores the new tokens, then uses them"
        case .sessionEnded: "signs the user out, and says why"
        case .superseded:
            isConfirmed
                ? "reads its store again; reports if nothing newer is there"
                : "reads its store again; tries later if nothing newer is there"
        case .throttled, .transient: "keeps the session, and tries again later"
        case .accessExpired, .stepUp, .forbidden, .refused, .misconfigured, .contractViolation:
            "keeps the session, and tells the app of a fault"
        }
    }

    private static func api(_ outcome: Outcome) -> String {
        switch outcome {
        case .accessExpired: "refreshes once, and sends the request again"
        case .sessionEnded: "refreshes to confirm it"
        case .delivered, .superseded, .stepUp, .forbidden, .throttled, .transient, .refused, .misconfigured,
            .contractViolation:
            "passes it to the app; the session stays"
        }
    }

    private static func socket(_ outcome: Outcome) -> String {
        switch outcome {
        case .accessExpired: "refreshes, then connects again"
        case .sessionEnded: "refreshes to confirm it"
        case .delivered: "goes on"
        case .superseded, .stepUp, .forbidden, .refused, .misconfigured, .contractViolation:
            "tells the app; the session stays"
        case .throttled, .transient: "connects again later"
        }
    }

    private static func logout(_ outcome: Outcome, _ isConfirmed: Bool) -> String {
        switch outcome {
        case .delivered, .sessionEnded: "is done"
        case .accessExpired, .refused, .forbidden, .misconfigured, .stepUp:
            isConfirmed ? "retries the sign-out later" : "is done: a retry would change nothing"
        case .superseded, .throttled, .transient, .contractViolation: "retries the sign-out later"
        }
    }

    private static func report(_ outcome: Outcome) -> String {
        outcome == .sessionEnded ? "signs the user out, and says why" : "keeps the session, and tries again later"
    }
}

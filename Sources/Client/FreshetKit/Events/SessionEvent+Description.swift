// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

extension SessionEvent: CustomStringConvertible {
    /// One line for a log, without secrets: the event, its cause and its consequence.
    public var description: String { kind.description }
}

extension SessionEvent.Kind: CustomStringConvertible {
    /// One line for a log, without secrets: the event, its cause and its consequence.
    public var description: String {
        let text =
            switch self {
            case .signedIn(.signIn): "Signed in."
            case .signedIn(.imported): "Signed in with the tokens of an older version of the app."
            case .signedIn(.found): "Signed in: the store holds a session."
            case .importIncomplete(.accessToken):
                "An older item was found without an access token where the location names one."
            case .importIncomplete(.refreshToken):
                "An older item was found without a refresh token where the location names one; it is kept."
            case .accessTokenReceived(let report): report.description
            case .stateChanged(.signedOut(let reason)): Self.text(signedOut: reason)
            case .stateChanged(let state): "State: \(state.name.rawValue)."
            case .refreshStarted(let cause): "Token refresh started: \(cause.text)."
            case .refreshAttempted(let attempt): attempt.description
            case .retrying(let pause): "The next refresh attempt follows in \(pause.formattedSeconds) s."
            case .refreshed(let report): report.description
            case .adopted: "Access token loaded from the store: another process refreshed it."
            case .refreshFailed(let error): "Token refresh failed: \(error) The session stays; \(error.next)."
            case .joined: "A caller waits for the token refresh in progress."
            case .userIdentified: "The session's user is now known."
            case .replayed: "A request was rejected; it is sent again with the new access token."
            case .replayAnswered(let status): "The repeated request got status \(status)."
            case .unsaved: "The new tokens could not be stored; they are kept in memory, and storing is retried."
            case .saved: "The changes that could not be stored before were stored."
            case .logoutDelivered(true): "The server was notified of the sign-out."
            case .logoutDelivered(false): "The server could not be notified of the sign-out; this is retried later."
            case .networkChanged(isUp: true): "The network is available again; the delayed refresh follows."
            case .networkChanged(isUp: false):
                "The network is unavailable; the token is refreshed when it is available again."
            case .phaseChanged(.foreground): "In the foreground: the token is refreshed ahead of its expiry."
            case .phaseChanged(.background): "In the background: the token is refreshed when a call needs it."
            case .phaseChanged(.unattended): "Without a user interface: the token is refreshed when a call needs it."
            case .backgroundRefreshScheduled(true): "A background refresh is scheduled."
            case .backgroundRefreshScheduled(false):
                "No background refresh can be scheduled: its task was not registered before the app had finished "
                    + "launching, is not permitted in Info.plist, or the user disabled background refresh."
            }
        return text.onOneLine
    }

    private static func text(signedOut reason: SignOutReason?) -> String {
        switch reason {
        case nil: "Signed out: the store holds no session."
        case .requested?: "Signed out by the user."
        case let reason?: "Signed out (\(reason.rawValue)): \(reason) The user has to sign in again."
        }
    }
}

extension AccessTokenReport: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        let next = refreshIn.map {
            $0 > .zero ? "the next refresh is due in \($0.formattedSeconds) s" : "a refresh is due"
        }
        return "Access token \(expiry); \(next ?? "nothing can refresh it")."
    }
}

extension AccessTokenReport {
    private var expiry: String {
        if source == .unknown { return source.text }
        let end = expiresAt.formatted(.iso8601)
        return remainingLifetime > .zero
            ? "valid until \(end), for \(remainingLifetime.formattedSeconds) s, \(source.text)"
            : "expired at \(end), \(source.text)"
    }
}

extension AccessTokenReport.Source {
    fileprivate var text: String {
        switch self {
        case .claim: "by its exp claim"
        case .answer: "by the lifetime in the response"
        case .assumed: "as the contract assumes, because neither the response nor the token has an expiry"
        case .stored: "as stored"
        case .unknown: "with an unknown expiry"
        }
    }
}

extension RefreshCause {
    fileprivate var text: String {
        switch self {
        case .ahead: "the access token is about to expire"
        case .expired: "the access token has expired"
        case .rejected: "the server rejected the access token of a request"
        case .requested: "the app requested it"
        }
    }
}

extension RefreshReport: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        let tries = attempts == 1 ? "1 attempt" : "\(attempts) attempts"
        let waiting = callers == 0 ? "" : callers == 1 ? "; 1 caller goes on" : "; \(callers) callers go on"
        return "Token refreshed after \(tries) and \(duration.formattedSeconds) s\(waiting)."
    }
}

extension RefreshAttempt: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        if outcome == .misconfigured { return "Attempt \(number) to refresh: not sent\(consequence)." }
        let answer =
            status.map { "answered with \($0)" }
            ?? "no response after \(duration.formattedSeconds) s\(failure.map { ": \($0)" } ?? "")"
        return "Attempt \(number) to refresh: \(answer)\(consequence)."
    }

    private var consequence: String {
        switch outcome {
        case .granted: ", with new tokens"
        case .superseded: ", a newer token of this session is in use; the store and then the server are checked"
        case .ended(let reason):
            ", so the session has ended (\(reason.rawValue))"
                + (isByStatusAlone ? "; a status without a reason is confirmed by a second attempt" : "")
        case .throttled: requestsPause ? ", the server requested a pause" : "; the client backs off"
        case .unreachable: ""
        case .stepUp: ", the server requires a new sign-in; the session stays"
        case .misconfigured: ", because the request cannot be created; the session stays"
        case .invalidResponse: ", which violates the contract; the session stays"
        }
    }
}

extension SessionError {
    /// The consequence of a refresh that failed with this error.
    fileprivate var next: String {
        switch self {
        case .stepUpRequired: "the user has to sign in again"
        case .misconfigured: "a developer has to correct the app's configuration"
        case .invalidResponse: "a developer has to check the contract or the server"
        default: "the next call tries again"
        }
    }
}

extension String {
    /// The text without control characters, which could be used to forge log lines.
    package var onOneLine: String {
        var line = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            let endsLine = scalar.properties.generalCategory == .control || [0x2028, 0x2029].contains(scalar.value)
            line.append(endsLine ? " " : scalar)
        }
        return String(line)
    }
}

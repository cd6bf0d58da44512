// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOCore

/// Decides when a listener accepts connections again after descriptors ran low or out.
struct AcceptBackoffStateMachine {
    private enum State: Equatable {
        case accepting
        /// No connection is accepted until the deadline, or until one closes.
        case paused(until: NIODeadline)
    }

    /// The reaction to a failed accept.
    struct Failure: Equatable {
        /// The time at which to accept again; `nil` if the listener is already paused.
        var retryAt: NIODeadline?
        /// Whether the failure is logged: at most once a minute.
        var isLogged: Bool
    }

    /// The maximum duration of a pause.
    static let pause = TimeAmount.seconds(1)
    static let logInterval = TimeAmount.minutes(1)

    private var state = State.accepting
    private var lastLogged: NIODeadline?

    mutating func acceptFailed(at now: NIODeadline) -> Failure {
        let isLogged = lastLogged.map { now - $0 >= Self.logInterval } ?? true
        if isLogged { lastLogged = now }
        return Failure(retryAt: descriptorsRanLow(at: now), isLogged: isLogged)
    }

    /// Handles an accepted connection that leaves few descriptors.
    ///
    /// - Returns: The time at which to accept again; `nil` if the listener is already paused.
    mutating func descriptorsRanLow(at now: NIODeadline) -> NIODeadline? {
        guard state == .accepting else { return nil }
        state = .paused(until: now + Self.pause)
        return now + Self.pause
    }

    /// Handles a closed connection, whose descriptor is free.
    ///
    /// - Returns: Whether to accept again.
    mutating func connectionClosed() -> Bool {
        defer { state = .accepting }
        return state != .accepting
    }

    /// Handles the end of a pause.
    ///
    /// - Returns: Whether to accept again; `false` if a connection has closed since, so that the pause has ended or a
    ///   new one has started.
    mutating func pauseEnded(at now: NIODeadline) -> Bool {
        guard case .paused(let end) = state, end <= now else { return false }
        state = .accepting
        return true
    }
}

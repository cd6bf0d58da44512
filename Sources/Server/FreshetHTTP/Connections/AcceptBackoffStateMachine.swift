// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOCore

/// Decides when a listener accepts connections again after the system had no descriptor for one, or few.
struct AcceptBackoffStateMachine {
    private enum State: Equatable {
        case accepting
        /// Nothing is accepted until then, or until a connection closes.
        case paused(until: NIODeadline)
    }

    /// What is to be done about a failed accept.
    struct Failure: Equatable {
        /// When to try again; `nil` if the listener is paused already.
        var retryAt: NIODeadline?
        /// Whether the log says so: once a minute.
        var isLogged: Bool
    }

    /// How long a listener is paused at most.
    static let pause = TimeAmount.seconds(1)
    static let logInterval = TimeAmount.minutes(1)

    private var state = State.accepting
    private var lastLogged: NIODeadline?

    mutating func acceptFailed(at now: NIODeadline) -> Failure {
        let isLogged = lastLogged.map { now - $0 >= Self.logInterval } ?? true
        if isLogged { lastLogged = now }
        return Failure(retryAt: descriptorsRanLow(at: now), isLogged: isLogged)
    }

    /// A connection was accepted, and few descriptors are left.
    ///
    /// - Returns: When to try again; `nil` if the listener is paused already.
    mutating func descriptorsRanLow(at now: NIODeadline) -> NIODeadline? {
        guard state == .accepting else { return nil }
        state = .paused(until: now + Self.pause)
        return now + Self.pause
    }

    /// A connection closed, and its descriptor is free.
    ///
    /// - Returns: Whether to accept again.
    mutating func connectionClosed() -> Bool {
        defer { state = .accepting }
        return state != .accepting
    }

    /// A pause is over.
    ///
    /// - Returns: Whether to accept again; `false` if a connection closed since and another pause has begun or none.
    mutating func pauseEnded(at now: NIODeadline) -> Bool {
        guard case .paused(let end) = state, end <= now else { return false }
        state = .accepting
        return true
    }
}

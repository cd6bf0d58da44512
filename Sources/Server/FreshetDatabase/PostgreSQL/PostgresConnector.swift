// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import NIOConcurrencyHelpers

/// Connects to one database, with a backoff after failures.
final class PostgresConnector: Sendable {
    private struct State {
        /// The number of consecutive failures.
        var failures = 0
        /// The earliest time of the next attempt.
        var retryAt: ContinuousClock.Instant?
        var lastError: (any Error)?
    }

    let configuration: PostgresConfiguration
    /// The sockets of its connections; shutting them down ends the statements that wait for an answer.
    let sockets = PostgresSockets()
    private let state = NIOLockedValueBox(State())

    init(_ configuration: PostgresConfiguration) { self.configuration = configuration }

    /// Connects, unless an attempt failed a moment ago.
    ///
    /// - Parameter lockTimeout: The time for which a statement waits for a lock; `nil` for no other limit than its own.
    /// - Returns: The connection.
    /// - Throws: `SQLError` of kind `transient`.
    func connect(lockTimeout: Duration? = nil) throws -> PostgresConnection {
        let tooSoon = state.withLockedValue { state in
            state.retryAt.map { $0 > .now } ?? false ? state.lastError : nil
        }
        if let tooSoon { throw tooSoon }
        do {
            let connection = try PostgresConnection(configuration, lockTimeout: lockTimeout)
            try sockets.add(connection.socket)
            state.withLockedValue { $0 = State() }
            return connection
        } catch {
            state.withLockedValue { state in
                state.failures = min(state.failures + 1, 6)
                // The pause grows from 50 ms to 2 s, and is randomised between half and all of it, so that servers do
                // not reconnect at once.
                let longest = min(2.0, 0.025 * Double(1 << state.failures))
                state.retryAt = .now + .seconds(Double.random(in: longest / 2...longest))
                state.lastError = error
            }
            throw error
        }
    }

    /// Opens the first connection of a starting server, and waits if the database is starting as well.
    ///
    /// - Parameters:
    ///   - startupTimeout: The maximum time to wait.
    ///   - onProgress: Called with the reason for waiting, once for each reason.
    /// - Returns: The connection.
    /// - Throws: `SQLError` when a retry cannot succeed.
    func first(startupTimeout: Duration, _ onProgress: (String) -> Void) throws -> PostgresConnection {
        let end = ContinuousClock.now + startupTimeout
        var reason: String?
        while true {
            do {
                let connection = try PostgresConnection(configuration)
                try sockets.add(connection.socket)
                return connection
            } catch let error as SQLError {
                guard !Self.isRefusal(error.message), ContinuousClock.now + Self.pause < end else { throw error }
                if error.message != reason { onProgress(error.message) }
                reason = error.message
            }
            Thread.sleep(forTimeInterval: Self.pause / .seconds(1))
        }
    }

    private static let pause = Duration.seconds(1)

    /// Whether a server refused the connection permanently, for example because of a wrong password.
    ///
    /// libpq reports only a text, which may be in another language; the worst result is then an unnecessary wait.
    private static func isRefusal(_ message: String) -> Bool {
        let passing = ["starting up", "shutting down", "recovery", "too many", "connection slots", "read-only"]
        return message.contains("FATAL:") && !passing.contains { message.contains($0) }
    }
}

extension DatabaseStartupError {
    /// Converts the error of a PostgreSQL database that cannot be used.
    init(postgres error: any Error) {
        switch error {
        case let error as DatabaseStartupError: self = error
        case let error as SQLError: self = .database(error.message)
        default: self = .database("\(error)")
        }
    }
}

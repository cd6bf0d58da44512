// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import NIOConcurrencyHelpers

/// Makes connections to one database, and lets it be for a moment when that fails.
final class PostgresConnector: Sendable {
    private struct State {
        /// Connecting failed so many times in a row.
        var failures = 0
        /// Before this nobody tries again.
        var retryAt: ContinuousClock.Instant?
        var lastError: (any Error)?
    }

    let configuration: PostgresConfiguration
    private let state = NIOLockedValueBox(State())

    init(_ configuration: PostgresConfiguration) { self.configuration = configuration }

    /// Connects, unless that failed a moment ago.
    ///
    /// - Throws: `SQLError` of kind `transient`.
    func connect() throws -> PostgresConnection {
        let tooSoon = state.withLockedValue { state in
            state.retryAt.map { $0 > .now } ?? false ? state.lastError : nil
        }
        if let tooSoon { throw tooSoon }
        do {
            let connection = try PostgresConnection(configuration)
            state.withLockedValue { $0 = State() }
            return connection
        } catch {
            state.withLockedValue { state in
                state.failures = min(state.failures + 1, 6)
                // From 50 ms to 2 s, by chance between half and all of it: not all servers come back at one moment.
                let longest = min(2.0, 0.025 * Double(1 << state.failures))
                state.retryAt = .now + .seconds(Double.random(in: longest / 2...longest))
                state.lastError = error
            }
            throw error
        }
    }

    /// The first connection of a server that starts, which waits a while for a database that starts, too.
    ///
    /// - Parameters:
    ///   - startupTimeout: How long.
    ///   - onProgress: Told why it waits, once for each reason.
    /// - Returns: the connection.
    /// - Throws: `SQLError` once there is no use in waiting.
    func first(startupTimeout: Duration, _ onProgress: (String) -> Void) throws -> PostgresConnection {
        let end = ContinuousClock.now + startupTimeout
        var reason: String?
        while true {
            do { return try PostgresConnection(configuration) } catch let error as SQLError {
                guard !Self.isRefusal(error.message), ContinuousClock.now + Self.pause < end else { throw error }
                if error.message != reason { onProgress(error.message) }
                reason = error.message
            }
            Thread.sleep(forTimeInterval: Self.pause / .seconds(1))
        }
    }

    private static let pause = Duration.seconds(1)

    /// Whether a server answered, and will not say anything else in a moment: a wrong password, no such database.
    ///
    /// libpq has only words for it, and the server's may be in another language; then a wait is the worst that happens.
    private static func isRefusal(_ message: String) -> Bool {
        let passing = ["starting up", "shutting down", "recovery", "too many", "connection slots", "read-only"]
        return message.contains("FATAL:") && !passing.contains { message.contains($0) }
    }
}

extension DatabaseStartupError {
    /// What a database that cannot be used means to an operator.
    init(postgres error: any Error) {
        switch error {
        case let error as DatabaseStartupError: self = error
        case let error as SQLError: self = .database(error.message)
        default: self = .database("\(error)")
        }
    }
}

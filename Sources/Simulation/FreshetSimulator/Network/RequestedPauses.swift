// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetKit

    /// The pauses that one process was asked for by `Retry-After`, for each token that it refreshes.
    ///
    /// Newer tokens, which another process has stored, show that the servers accept refreshes again. Where the refresh token
    /// stays the same, only the generation of the record tells them.
    final class RequestedPauses: @unchecked Sendable {
        private struct Pause {
            var end: Duration
            /// The generation of the tokens that the device had stored when the refresh was sent.
            var generation: UInt64
        }

        /// The longest pause that the SDK grants by default.
        private static let longest = RetryBackoff().longestRetryAfter
        private var pauses: [String: Pause] = [:]
        private let stored: StoredGeneration

        init(of stored: StoredGeneration = StoredGeneration()) { self.stored = stored }

        /// Returns the pauses of the same process for a session that starts again.
        func restarted() -> RequestedPauses { RequestedPauses(of: stored) }

        /// The generation of the tokens that a process presents at this time; `nil` if it may not have read the newest one.
        var generation: UInt64? { stored.settled }

        /// Records a response to a refresh that the process has received.
        ///
        /// - Parameters:
        ///   - head: The head of the response.
        ///   - request: The request.
        ///   - generation: The ``generation`` at the time of the request.
        func received(_ head: HTTPURLResponse, to request: URLRequest, of generation: UInt64?) {
            guard let token = request.servedRefreshToken, head.statusCode == 429 || head.statusCode == 503,
                let seconds = head.value(forHTTPHeaderField: "Retry-After").flatMap(Int.init), let generation
            else { return }
            let pause = min(.seconds(seconds), Self.longest)
            let end = SimulationExecutor.shared.now + pause - Oscillator.tolerance(of: pause)
            pauses[token] = Pause(end: end, generation: generation)
        }

        /// Whether some pause is not over for two seconds.
        var isActive: Bool { pauses.values.contains { $0.end + .seconds(2) > SimulationExecutor.shared.now } }

        /// Whether a refresh is sent too early.
        func isTooEarly(_ request: URLRequest) -> Bool {
            guard let pause = request.servedRefreshToken.flatMap({ pauses[$0] }) else { return false }
            return SimulationExecutor.shared.now < pause.end && pause.generation == stored.current
        }
    }
#endif

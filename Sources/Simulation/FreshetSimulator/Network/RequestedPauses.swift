// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetKit

    /// The pauses that one process was asked for by `Retry-After`, for each token that it refreshes.
    ///
    /// A newer token, which another process has stored, shows that the servers accept refreshes again.
    final class RequestedPauses: @unchecked Sendable {
        /// The longest pause that the SDK grants by default.
        private static let longest = RetryBackoff().longestRetryAfter
        private var ends: [String: Duration] = [:]

        /// Records a response to a refresh that the process has received.
        func received(_ head: HTTPURLResponse, to request: URLRequest) {
            guard let token = request.servedRefreshToken, head.statusCode == 429 || head.statusCode == 503,
                let seconds = head.value(forHTTPHeaderField: "Retry-After").flatMap(Int.init)
            else { return }
            let pause = min(.seconds(seconds), Self.longest)
            ends[token] = SimulationExecutor.shared.now + pause - Oscillator.tolerance(of: pause)
        }

        /// Whether a refresh is sent too early.
        func isTooEarly(_ request: URLRequest) -> Bool {
            request.servedRefreshToken.flatMap { ends[$0] }.map { SimulationExecutor.shared.now < $0 } ?? false
        }
    }
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    /// The rate of requests of one kind that no user causes.
    struct RequestRate {
        /// The number of requests in a minute that no cause justifies.
        static let maximumPerMinute = 30

        private var times: [Duration] = []

        /// Counts a request.
        ///
        /// - Parameter now: The virtual time.
        /// - Returns: The number of requests of the last minute if it exceeds the maximum; `nil` otherwise.
        mutating func count(at now: Duration) -> Int? {
            times = times.filter { now - $0 < .seconds(60) } + [now]
            return times.count > Self.maximumPerMinute ? times.count : nil
        }
    }
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A transport whose requests wait for the test.
protocol OpenRequestSource: AnyObject, Sendable {
    /// The requests that the test has yet to answer, as a report lists them: method and path, no token.
    var openRequests: [String] { get }

    /// Tells a clock whenever ``openRequests`` changes, and lists the clock's sleepers in its own reports.
    func follow(_ clock: TestClock)
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A transport whose requests the test answers.
package protocol OpenRequestSource: AnyObject, Sendable {
    /// The requests that the test has not answered, as method and path without a token, for reports.
    var openRequests: [String] { get }

    /// Reports changes of ``openRequests`` to a clock, and adds the clock's sleepers to its own reports.
    func follow(_ clock: TestClock)
}

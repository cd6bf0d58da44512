// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The cost of a successful refresh.
public struct RefreshReport: Sendable, Equatable {
    /// The cause of the refresh.
    public var cause: RefreshCause
    /// The number of attempts.
    public var attempts: Int
    /// The number of callers that were waiting when it returned.
    ///
    /// Callers that had given up are not counted.
    public var callers: Int
    /// The duration of the refresh, including pauses.
    public var duration: Duration
    /// The remaining lifetime of the old access token at the start; negative if it had expired.
    public var remainingLifetime: Duration
}

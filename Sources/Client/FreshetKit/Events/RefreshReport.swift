// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// What a refresh that brought new tokens cost.
public struct RefreshReport: Sendable, Equatable {
    /// Why it began.
    public var cause: RefreshCause
    /// How many attempts it took.
    public var attempts: Int
    /// How many callers waited for it.
    public var callers: Int
    /// How long it took from its beginning, pauses included.
    public var duration: Duration
    /// How long the old access token still had to live when it began; below zero it had ended.
    public var remainingLifetime: Duration
}

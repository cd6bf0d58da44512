// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// How a backend hands out tokens and what its answers mean.
public struct Contract: Sendable, Equatable {
    /// The contract's name.
    public let name: String
    /// How long before its end an access token is refreshed at most.
    let leeway: Duration
    /// How long an access token lives if nothing says so.
    let assumedLifetime: Duration

    /// The contract of Freshet's own server: rotation that is bound to intents and confirmed.
    public static let freshet = Contract(name: "freshet", leeway: .seconds(60), assumedLifetime: .seconds(300))

    /// Answers of token endpoints beyond this size are not read.
    static let largestAnswer = 256 * 1024
}

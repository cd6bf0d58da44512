// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A request that a backend's double has seen, and what it made of it.
public struct BackendExchange: Sendable, Equatable {
    /// What arrived; it prints no token.
    public var request: BackendRequest
    /// What it was sent to.
    public var endpoint: BackendEndpoint
    /// Which tokens it carried, wherever they stood.
    ///
    /// They go by their number: `access-2` is the second access token that this backend handed out. A bearer token that it never
    /// handed out is `unknown`.
    public var tokens: [String]
    /// The status of the answer; `nil` if none left.
    public var status: Int?
}

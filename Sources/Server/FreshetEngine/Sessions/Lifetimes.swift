// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The lifetimes of tokens, sessions and codes.
package struct Lifetimes: Equatable, Sendable {
    /// The lifetime of an access token, from its issue to its `exp`.
    package var access = Duration.seconds(600)
    /// The lifetime of a session that is not refreshed.
    package var idle = Duration.seconds(30 * 86_400)
    /// The maximum lifetime of a session, regardless of refreshes.
    package var absolute = Duration.seconds(180 * 86_400)
    /// The lifetime of a mailed code, at most ten minutes.
    package var code = Duration.seconds(600)

    package init() {}

    /// Whether a session lasts as long as its access token, at whose expiry a client refreshes it.
    package var canRefresh: Bool { access <= min(idle, absolute) }
}

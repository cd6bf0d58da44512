// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// How long things live.
package struct Lifetimes: Equatable, Sendable {
    /// An access token, from its issue to its `exp`.
    package var access = Duration.seconds(600)
    /// A session that is not refreshed.
    package var idle = Duration.seconds(30 * 86_400)
    /// A session however often it is refreshed.
    package var absolute = Duration.seconds(180 * 86_400)
    /// A code sent by mail, at most ten minutes.
    package var code = Duration.seconds(600)

    package init() {}
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// What a connection needs a token for.
enum SocketTokenRequirement: Equatable, Sendable {
    /// To connect: one that lives on for a while.
    case validFor(Duration)
    /// To connect after a refusal: one other than this.
    case replacing(AccessToken, isBaseOrigin: Bool)
    /// To renew an open connection: a newer one than this, which is still good.
    case newer(than: AccessToken)
}

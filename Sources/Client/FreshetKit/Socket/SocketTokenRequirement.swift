// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The requirement that a token for a connection must meet.
enum SocketTokenRequirement: Equatable, Sendable {
    /// To connect: a token that is valid for this long.
    case validFor(Duration)
    /// To connect after a refusal: another token than this.
    case replacing(AccessToken, isBaseOrigin: Bool)
    /// To renew an open connection: a valid token newer than this.
    case newer(than: AccessToken)
}

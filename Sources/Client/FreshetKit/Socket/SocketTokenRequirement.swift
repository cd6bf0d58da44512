// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The requirement that a token for a connection must meet.
enum SocketTokenRequirement: Equatable, Sendable {
    /// A token that is valid for at least this time, to connect.
    case validFor(Duration)
    /// A token other than this one, to connect after a refusal.
    case replacing(AccessToken, isBaseOrigin: Bool)
    /// A valid token newer than this one, to renew an open connection.
    case newer(than: AccessToken)
}

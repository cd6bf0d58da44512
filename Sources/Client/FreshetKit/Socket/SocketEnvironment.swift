// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// What the app and the system say, also to sockets that come later.
struct SocketEnvironment: Equatable, Sendable {
    /// Whether the app is in the background.
    var isSuspended = false
    /// Whether the system says that there is no network.
    var isNetworkDown = false
}

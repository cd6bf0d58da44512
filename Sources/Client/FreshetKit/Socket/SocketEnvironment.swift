// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The state of the app and the network, also for sockets that are created later.
struct SocketEnvironment: Equatable, Sendable {
    /// Whether the app is in the background.
    var isSuspended = false
    /// Whether the system reports that there is no network.
    var isNetworkDown = false
}

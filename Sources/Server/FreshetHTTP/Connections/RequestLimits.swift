// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// What one connection may ask of the server.
package struct RequestLimits: Equatable, Sendable {
    /// No route may take more: what comes beyond it is dropped by the connection's guard.
    package var bodyBytes = 16 * 1024
    package var headerBytes = 16 * 1024
    package var headTimeout = Duration.seconds(10)
    /// From the arrival of the head to the end of the body; nothing that arrives meanwhile moves it.
    package var bodyTimeout = Duration.seconds(15)
    package var idleTimeout = Duration.seconds(60)
    /// How long a client may take nothing of a response that waits to be written.
    package var writeTimeout = Duration.seconds(15)

    package init() {}
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The timeouts of one connection, and the maximum sizes of its requests.
package struct RequestLimits: Equatable, Sendable {
    /// The maximum body size of any route; ``RequestTimeoutHandler`` discards the bytes beyond it.
    package var bodyBytes = 16 * 1024
    var headerBytes = 16 * 1024
    var headTimeout = Duration.seconds(10)
    /// The time from the arrival of the head to the end of the body; body data does not extend it.
    var bodyTimeout = Duration.seconds(15)
    var idleTimeout = Duration.seconds(60)
    /// The time for which a client may read no bytes of a pending response.
    var writeTimeout = Duration.seconds(15)
    /// The number of unanswered requests of one connection at which decoding stops.
    var pipelinedRequests = 8
    /// The number of bytes that are decoded at one time while requests await their responses.
    var pipelinedPiece = 1024

    package init() {}
}

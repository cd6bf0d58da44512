// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The result of a refresh, and the time at which the device receives it.
enum NodeResponse: Equatable, Sendable {
    case granted(at: Int)
    /// 503 with `Retry-After`.
    case unavailable(at: Int, retryAfter: Duration)
    /// 401, from a server that answers 401 to every request.
    case refused(at: Int)
    /// No response: the server is unreachable, or closed the connection.
    case lost(at: Int)
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// What becomes of a refresh, and when the device knows.
enum NodeResponse: Equatable, Sendable {
    case granted(at: Int)
    /// 503 with `Retry-After`.
    case unavailable(at: Int, retryAfter: Duration)
    /// 401, by a server that answers that to everything.
    case refused(at: Int)
    /// No answer: nobody there, or the connection was closed.
    case lost(at: Int)
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOCore

/// How long a connection has waited for a request, and whether it has answered one before.
struct IdleState: Equatable {
    var since = NIODeadline.now()
    var hasAnswered = false
    /// The arrival of the first bytes of an incomplete request that is handed over; `nil` without one.
    var received: NIODeadline?
}

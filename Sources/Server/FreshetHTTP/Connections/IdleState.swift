// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOCore

/// The time that a connection has waited for a request, and whether it has answered one before.
struct IdleState: Equatable {
    var since = NIODeadline.now()
    var hasAnswered = false
    /// The time at which the first bytes of an incomplete request arrived, if they are passed on; `nil` without such
    /// bytes.
    var received: NIODeadline?
}

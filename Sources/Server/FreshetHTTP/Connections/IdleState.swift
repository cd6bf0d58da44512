// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOCore

/// Since when a connection waits for a request, and whether it had any.
struct IdleState: Equatable {
    var since = NIODeadline.now()
    var hasAnswered = false
    /// When the first bytes of a request arrived that is handed over unfinished; `nil` if they arrive now.
    var received: NIODeadline?
}

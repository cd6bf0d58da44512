// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire

/// The sockets that a message is published to.
enum SocketRecipients: Equatable, Sendable {
    case all
    case user(UUID)
    case session(SessionID)
    case socket(SocketID)
}

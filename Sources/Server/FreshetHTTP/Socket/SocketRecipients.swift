// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetWire

/// The sockets that a message is published to.
package enum SocketRecipients: Equatable, Sendable {
    case all
    case user(UUID)
    case session(SessionID)
    case socket(SocketID)
}

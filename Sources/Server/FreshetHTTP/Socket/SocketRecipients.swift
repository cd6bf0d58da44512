// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetWire

/// To whom a message is published.
package enum SocketRecipients: Equatable, Sendable {
    case all
    case user(UUID)
    case session(SessionID)
    case socket(SocketID)
}

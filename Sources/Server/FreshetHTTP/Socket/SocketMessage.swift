// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
import FreshetWire

/// A message of a socket.
///
/// It prints a mask, because a client's first message may contain an access token.
package enum SocketMessage: Equatable, Sendable, Masked {
    case text(String)
    case binary(Data)

    /// The size of the payload in bytes, without framing.
    var size: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let data): data.count
        }
    }

    var mask: String {
        switch self {
        case .text: "SocketMessage(text, \(size) bytes)"
        case .binary: "SocketMessage(binary, \(size) bytes)"
        }
    }
}

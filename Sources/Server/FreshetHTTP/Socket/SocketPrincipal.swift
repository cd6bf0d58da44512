// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetWire

/// The authenticated client of a socket.
package struct SocketPrincipal: Hashable, Sendable {
    package let socket: SocketID
    package let session: SessionID
    package let user: UUID
    /// The contract at whose path the socket was opened; `nil` for the native contract.
    package let contract: String?
}

/// Identifies a socket within this process.
package struct SocketID: Hashable, Sendable, CustomStringConvertible {
    package let number: UInt64

    package var description: String { String(number) }
}

/// Receives the messages of clients, one at a time for each socket.
///
/// A socket is not read while its listener runs, so a slow listener slows down that client only.
package typealias SocketListener = @Sendable (SocketMessage, SocketPrincipal) async -> Void

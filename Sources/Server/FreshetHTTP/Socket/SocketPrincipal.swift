// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetWire

/// Whose socket a message came over.
package struct SocketPrincipal: Hashable, Sendable {
    package let socket: SocketID
    package let session: SessionID
    package let user: UUID
    /// The contract at whose path the socket was opened; `nil` for the native one.
    package let contract: String?
}

/// Names one socket for as long as this server runs.
package struct SocketID: Hashable, Sendable, CustomStringConvertible {
    package let number: UInt64

    package var description: String { String(number) }
}

/// Takes the messages of clients, one after the other for each socket.
///
/// A socket is not read while its listener works, so a slow listener slows the client down and nobody else.
package typealias SocketListener = @Sendable (SocketMessage, SocketPrincipal) async -> Void

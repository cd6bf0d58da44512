// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire

/// The authenticated client of a socket.
package struct SocketPrincipal: Hashable, Sendable {
    let socket: SocketID
    let session: SessionID
    let user: UUID
    /// The contract at whose path the socket was opened; `nil` for the native contract.
    let contract: String?
}

/// Identifies a socket within this process.
struct SocketID: Hashable, Sendable, CustomStringConvertible {
    let number: UInt64

    var description: String { String(number) }
}

/// Receives the messages of clients, one at a time for each socket.
///
/// A socket is not read while its listener runs, so a slow listener slows down only that client.
package typealias SocketListener = @Sendable (SocketMessage, SocketPrincipal) async -> Void

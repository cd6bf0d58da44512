// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// A message received over a session's socket, with the number of its connection.
public struct SocketMessage: Sendable, Hashable {
    /// The message.
    public let content: WebSocketMessage
    /// The number of the connection that it was received over, counted from 1.
    ///
    /// If it differs from that of the previous message, the socket has reconnected, and messages of the server may have
    /// been lost.
    public let connection: Int

    /// The text of a text message; `nil` for binary data.
    public var text: String? { content.text }
    /// The content as bytes, of either kind.
    public var data: Data { content.data }

    init(_ content: WebSocketMessage, connection: Int) {
        self.content = content
        self.connection = connection
    }
}

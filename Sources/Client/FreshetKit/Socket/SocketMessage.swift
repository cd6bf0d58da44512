// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// A message that came over a session's socket, and over which of its connections.
public struct SocketMessage: Sendable, Hashable {
    /// What the server sent.
    public let content: WebSocketMessage
    /// The number of the connection that it came over, counted from 1.
    ///
    /// Where it differs from the message before, the socket was opened anew in between, and the server may have sent
    /// something that nobody received.
    public let connection: Int

    /// The text, if it is one.
    public var text: String? { content.text }
    /// The bytes of either kind.
    public var data: Data { content.data }

    init(_ content: WebSocketMessage, connection: Int) {
        self.content = content
        self.connection = connection
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// Why a WebSocket did not open, or is open no longer.
@nonexhaustive
public enum WebSocketError: Error, Sendable, Equatable {
    /// The server answered the handshake with something else than 101.
    case refused(WebSocketRefusal)
    /// The server closed the socket; 1005 stands for a goodbye without a code (RFC 6455 section 7.1.5).
    case closed(code: Int)
    /// There was a fault of the network, or the server said something that is no WebSocket.
    case lost
    /// The server sent a message longer than allowed.
    case messageTooLong
    /// This transport cannot open WebSockets here, whatever the server says.
    case unsupported(String)
}

/// An answer to a handshake that is no WebSocket.
///
/// It prints its status alone: a body may repeat the token.
public struct WebSocketRefusal: Error, Sendable, Equatable {
    /// The HTTP status.
    public var status: Int
    /// The headers; names in any casing.
    public var headers: [String: String]
    /// At most the first 64 KiB; empty where the system does not hand it over.
    public var body: Data

    /// Joins the parts of an answer.
    public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// How much of a body is kept.
    public static let largestBody = 64 * 1024
}

extension WebSocketRefusal: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status.
    public var description: String { "refused with \(status)" }
    /// The status.
    public var debugDescription: String { description }
    /// Shows nothing.
    public var customMirror: Mirror { .concealing(self) }
}

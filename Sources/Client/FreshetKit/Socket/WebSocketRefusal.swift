// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

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

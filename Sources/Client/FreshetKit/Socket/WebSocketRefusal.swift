// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// A response to a handshake other than 101.
///
/// The description contains only the status, because the body may contain the token.
public struct WebSocketRefusal: Error, Sendable, Equatable {
    /// The HTTP status.
    public var status: Int
    /// The header fields; the case of the names may vary.
    public var headers: [String: String]
    /// The first 64 KiB of the body; empty if the system does not provide it.
    public var body: Data

    /// Creates a refusal.
    public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The maximum size of the body.
    public static let largestBody = 64 * 1024
}

extension WebSocketRefusal: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status.
    public var description: String { "refused with \(status)" }
    /// The status.
    public var debugDescription: String { description }
    /// An empty mirror: `dump` shows no contents.
    public var customMirror: Mirror { .concealing(self) }
}

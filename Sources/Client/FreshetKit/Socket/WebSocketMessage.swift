// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// A complete WebSocket message, regardless of its frames.
public enum WebSocketMessage: Sendable, Hashable {
    /// Text in UTF-8.
    case text(String)
    /// Bytes.
    case data(Data)

    /// The text of a text message; `nil` for binary data.
    public var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The content as bytes, of either kind.
    public var data: Data {
        switch self {
        case .text(let text): Data(text.utf8)
        case .data(let data): data
        }
    }

    /// The size in bytes.
    public var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .data(let data): data.count
        }
    }
}

extension WebSocketMessage: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind and size only: the first message of some backends is the access token.
    public var description: String {
        switch self {
        case .text: "text of \(byteCount) bytes"
        case .data: "data of \(byteCount) bytes"
        }
    }
    /// The kind and size only.
    public var debugDescription: String { description }
    /// An empty mirror: `dump` shows no contents.
    public var customMirror: Mirror { .concealing(self) }
}

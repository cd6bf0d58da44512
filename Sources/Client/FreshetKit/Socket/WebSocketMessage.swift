// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// What goes over a WebSocket: a whole message, however many frames carried it.
public enum WebSocketMessage: Sendable, Hashable {
    /// Text in UTF-8.
    case text(String)
    /// Bytes.
    case data(Data)

    /// The text, if it is one.
    public var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The bytes of either kind.
    public var data: Data {
        switch self {
        case .text(let text): Data(text.utf8)
        case .data(let data): data
        }
    }

    /// How long it is in bytes.
    public var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .data(let data): data.count
        }
    }
}

extension WebSocketMessage: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Kind and length: the first message of some backends is the access token.
    public var description: String {
        switch self {
        case .text: "text of \(byteCount) bytes"
        case .data: "data of \(byteCount) bytes"
        }
    }
    /// Kind and length.
    public var debugDescription: String { description }
    /// Shows nothing.
    public var customMirror: Mirror { .concealing(self) }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The text of an ``EndReason`` that this version does not know.
package struct UnknownEndReason: Hashable, Sendable {
    /// The replacement for a reason without a text that may be sent.
    package static let unnamed = "other"

    /// The text, which is a plain identifier: it is sent in bodies and close frames, and is a field of logs.
    package let text: String

    /// Stores `text` if it is a plain identifier of at most 64 characters.
    package init(_ text: String?) {
        let isPlain = text.map { (1...64).contains($0.utf8.count) && $0.utf8.allSatisfy(Self.isPlain) } ?? false
        self.text = isPlain ? text ?? Self.unnamed : Self.unnamed
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

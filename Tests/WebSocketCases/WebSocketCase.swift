// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Frames that one end sends, and what the other end must make of them (RFC 6455).
///
/// The numbers are those of the sections of Autobahn's test suite, as far as it has the section.
package struct WebSocketCase: Sendable, CustomStringConvertible {
    package enum Message: Equatable, Sendable {
        case text(String)
        case binary([UInt8])
    }

    /// The close frame with which the receiver answers.
    package enum Close: Equatable, Sendable {
        /// The connection stays open without a close frame.
        case none
        /// The answer to the sender's close frame, with this code; `nil` if it has none.
        case reply(UInt16?)
        /// The receiver fails the connection with this code when it has received the frame at this index.
        case failure(UInt16, at: Int)
    }

    package let number: String
    package let name: String
    package let frames: [CaseFrame]
    package var messages: [Message] = []
    package var pongs: [[UInt8]] = []
    package var close: Close

    package var description: String { "\(number) \(name)" }

    package init(
        _ number: String,
        _ name: String,
        _ frames: [CaseFrame],
        messages: [Message] = [],
        pongs: [[UInt8]] = [],
        close: Close = .none
    ) {
        self.number = number
        self.name = name
        self.frames = frames
        self.messages = messages
        self.pongs = pongs
        self.close = close
    }

    /// A case whose last frame fails the connection.
    static func failing(
        _ number: String,
        _ name: String,
        _ frames: [CaseFrame],
        _ code: UInt16 = 1002,
        messages: [Message] = [],
        pongs: [[UInt8]] = []
    ) -> Self {
        Self(number, name, frames, messages: messages, pongs: pongs, close: .failure(code, at: frames.count - 1))
    }
}

/// The limits of the receiver.
package struct CaseLimits: Sendable {
    package var messageBytes: Int
    package var messageFragments: Int

    package init(messageBytes: Int, messageFragments: Int) {
        self.messageBytes = messageBytes
        self.messageFragments = messageFragments
    }
}

extension WebSocketCase {
    /// All cases, for a receiver with these limits.
    package static func all(_ limits: CaseLimits) -> [WebSocketCase] {
        framing + pings + reserved + fragmentation + validText + invalidText + closing + self.limits(limits) + masking
            + compression
    }
}

/// A deviation of a receiver from the table.
package struct CaseException: Sendable {
    package var number: String
    package var close: WebSocketCase.Close
    /// The messages that are delivered although the table has none.
    package var messages: [WebSocketCase.Message]
    package var reason: String

    package init(
        _ number: String,
        _ close: WebSocketCase.Close,
        messages: [WebSocketCase.Message] = [],
        _ reason: String
    ) {
        self.number = number
        self.close = close
        self.messages = messages
        self.reason = reason
    }
}

extension [WebSocketCase] {
    /// Replaces the close frames that the exceptions name.
    ///
    /// - Returns: `nil` if an exception names no case, or does not deviate from the table.
    package func applying(_ exceptions: [CaseException]) -> [WebSocketCase]? {
        var cases = self
        for exception in exceptions {
            guard let index = cases.firstIndex(where: { $0.number == exception.number }),
                cases[index].close != exception.close
            else { return nil }
            cases[index].close = exception.close
            cases[index].messages += exception.messages
        }
        return cases
    }
}

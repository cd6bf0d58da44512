// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

/// The status code and the reason of a close frame (RFC 6455 section 7.4).
package struct SocketCloseStatus: Error, Equatable, Sendable {
    var code: UInt16
    var reason: String
    /// The reason of the session's end, if the socket is closed because of it.
    var ended: EndReason?

    init(_ code: UInt16, _ reason: String, ended: EndReason? = nil) {
        self.code = code
        self.reason = reason
        self.ended = ended
    }

    /// The client sent a close frame without a code.
    static let normal = SocketCloseStatus(1000, "")
    static let goingAway = SocketCloseStatus(1001, "server_stopping")
    static let protocolError = SocketCloseStatus(1002, "protocol_error")
    static let notUTF8 = SocketCloseStatus(1007, "not_utf8")
    static let tooManyMessages = SocketCloseStatus(1008, "too_many_messages")
    static let tooLarge = SocketCloseStatus(1009, "message_too_large")
    static let tooSlow = SocketCloseStatus(1013, "too_slow")
    /// The database did not respond whether the session is active.
    static let unavailable = SocketCloseStatus(1013, "unavailable")
    /// The code is never sent: the connection was lost, or its peer is silent (section 7.1.5).
    static let lost = SocketCloseStatus(1006, "connection_lost")
    static let silent = SocketCloseStatus(1006, "silent")

    /// Whether `code` may be sent in a close frame (section 7.4).
    package static func isSendable(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetWire

/// What a contract says of its socket: where it is, how clients show their token there, and what they are told.
struct SocketTerms: Sendable {
    /// The codes of the closes that are about tokens and sessions.
    struct Codes: Equatable, Sendable {
        /// The access token's time is over, or it is not good.
        var expired: UInt16
        /// The token of a renewal is another session's.
        var foreign: UInt16
        /// No token came in time.
        var late: UInt16
        var ended: UInt16
        /// The session or its user has too many sockets.
        var tooMany: UInt16
    }

    /// The dialect's name; `nil` for the native contract.
    var dialect: String?
    var pattern: RoutePattern
    /// Where a client may show its token: in one of these places.
    var places: [SocketShape.TokenPlace]
    /// The message that brings a new token to an open socket.
    var renewal: JSONTemplate?
    /// The subprotocol that is spoken (RFC 6455 section 1.9), and so selected where it is offered.
    var subprotocol: String?
    /// Whether the server speaks of the session itself, in messages.
    var announces = false
    /// The status of a handshake with a token that is missing or not good; `nil` for the usual one.
    var refusalStatus: Int?
    var codes: Codes

    /// The message in which a client may show its first token.
    var firstMessage: JSONTemplate? {
        for case .message(let template) in places { return template }
        return nil
    }

    func closure(ended reason: EndReason) -> SocketClosure {
        SocketClosure(codes.ended, reason.rawValue, ended: reason)
    }

    var expired: SocketClosure { SocketClosure(codes.expired, "expired") }
    var invalid: SocketClosure { SocketClosure(codes.expired, "invalid_token") }
    var foreign: SocketClosure { SocketClosure(codes.foreign, "other_session") }
    var late: SocketClosure { SocketClosure(codes.late, "authentication_timeout") }
    var tooMany: SocketClosure { SocketClosure(codes.tooMany, "too_many_sockets") }
}

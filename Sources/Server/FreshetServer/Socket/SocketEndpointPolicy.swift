// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetWire

/// What a contract says of its socket: where it is, how clients show their token there, and what they are told.
struct SocketEndpointPolicy: Sendable {
    /// The codes of the closes that are about tokens and sessions.
    struct CloseCodes: Equatable, Sendable {
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

    /// The contract's name; `nil` for the native contract.
    var contract: String?
    var pattern: RoutePattern
    /// Where a client may show its token: in one of these tokenLocations.
    var tokenLocations: [SocketDefinition.TokenPlace]
    /// The message that brings a new token to an open socket.
    var renewal: JSONTemplate?
    /// The subprotocol that is spoken (RFC 6455 section 1.9), and so selected where it is offered.
    var subprotocol: String?
    /// Whether the server speaks of the session itself, in messages.
    var sendsSessionEvents = false
    /// The status of a handshake with a token that is missing or not good; `nil` for the usual one.
    var refusalStatus: Int?
    var codes: CloseCodes

    /// The message in which a client may show its first token.
    var firstMessage: JSONTemplate? {
        for case .message(let template) in tokenLocations { return template }
        return nil
    }

    func closeStatus(ended reason: EndReason) -> SocketCloseStatus {
        SocketCloseStatus(codes.ended, reason.rawValue, ended: reason)
    }

    var expired: SocketCloseStatus { SocketCloseStatus(codes.expired, "expired") }
    var invalid: SocketCloseStatus { SocketCloseStatus(codes.expired, "invalid_token") }
    var foreign: SocketCloseStatus { SocketCloseStatus(codes.foreign, "other_session") }
    var late: SocketCloseStatus { SocketCloseStatus(codes.late, "authentication_timeout") }
    var tooMany: SocketCloseStatus { SocketCloseStatus(codes.tooMany, "too_many_sockets") }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetContract
import FreshetWire

/// What a contract says of its socket: where it is, how clients show their token there, and what they are told.
package struct SocketEndpointPolicy: Sendable {
    /// The codes of the closes that are about tokens and sessions.
    package struct CloseCodes: Equatable, Sendable {
        /// The access token's time is over, or it is not good.
        package var expired: UInt16
        /// The token of a renewal is another session's.
        package var foreign: UInt16
        /// No token came in time.
        package var late: UInt16
        package var ended: UInt16
        /// The session or its user has too many sockets.
        package var tooMany: UInt16

        package init(expired: UInt16, foreign: UInt16, late: UInt16, ended: UInt16, tooMany: UInt16) {
            self.expired = expired
            self.foreign = foreign
            self.late = late
            self.ended = ended
            self.tooMany = tooMany
        }
    }

    /// The contract's name; `nil` for the native contract.
    package var contract: String?
    package var pattern: RoutePattern
    /// Where a client may show its token: in one of these tokenLocations.
    package var tokenLocations: [SocketDefinition.TokenPlace]
    /// The message that brings a new token to an open socket.
    package var renewal: JSONTemplate?
    /// The subprotocol that is spoken (RFC 6455 section 1.9), and so selected where it is offered.
    var subprotocol: String?
    /// Whether the server speaks of the session itself, in messages.
    var sendsSessionEvents = false
    /// The status of a handshake with a token that is missing or not good; `nil` for the usual one.
    package var refusalStatus: Int?
    package var codes: CloseCodes

    package init(
        contract: String? = nil,
        pattern: RoutePattern,
        tokenLocations: [SocketDefinition.TokenPlace],
        renewal: JSONTemplate? = nil,
        subprotocol: String? = nil,
        sendsSessionEvents: Bool = false,
        refusalStatus: Int? = nil,
        codes: CloseCodes
    ) {
        self.contract = contract
        self.pattern = pattern
        self.tokenLocations = tokenLocations
        self.renewal = renewal
        self.subprotocol = subprotocol
        self.sendsSessionEvents = sendsSessionEvents
        self.refusalStatus = refusalStatus
        self.codes = codes
    }

    /// The message in which a client may show its first token.
    var firstMessage: JSONTemplate? {
        for case .message(let template) in tokenLocations { return template }
        return nil
    }

    func closeStatus(ended reason: EndReason) -> SocketCloseStatus {
        SocketCloseStatus(codes.ended, reason.rawValue, ended: reason)
    }

    package var expired: SocketCloseStatus { SocketCloseStatus(codes.expired, "expired") }
    var invalid: SocketCloseStatus { SocketCloseStatus(codes.expired, "invalid_token") }
    package var foreign: SocketCloseStatus { SocketCloseStatus(codes.foreign, "other_session") }
    package var late: SocketCloseStatus { SocketCloseStatus(codes.late, "authentication_timeout") }
    package var tooMany: SocketCloseStatus { SocketCloseStatus(codes.tooMany, "too_many_sockets") }
}

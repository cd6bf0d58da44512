// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetContract
import FreshetWire

/// The socket of a contract: its path, where clients present tokens, and its close codes.
package struct SocketEndpointPolicy: Sendable {
    /// The close codes that are about tokens and sessions.
    package struct CloseCodes: Equatable, Sendable {
        /// The access token is expired or invalid.
        var expired: UInt16
        /// The token of a renewal belongs to another session.
        var foreign: UInt16
        /// No token was received before the timeout.
        var late: UInt16
        var ended: UInt16
        /// The session or its user has too many sockets.
        var tooMany: UInt16

        package init(expired: UInt16, foreign: UInt16, late: UInt16, ended: UInt16, tooMany: UInt16) {
            self.expired = expired
            self.foreign = foreign
            self.late = late
            self.ended = ended
            self.tooMany = tooMany
        }
    }

    /// The contract's name; `nil` for the native contract.
    var contract: String?
    package var pattern: RoutePattern
    /// The places where a client may present its token.
    var tokenLocations: [SocketDefinition.TokenPlace]
    /// The message that carries a new token on an open socket.
    package var renewal: JSONTemplate?
    /// The subprotocol to select if a client offers it (RFC 6455 section 1.9).
    var subprotocol: String?
    /// Whether the server sends messages about the session.
    var sendsSessionEvents = false
    /// The status for a handshake whose token is missing or invalid; `nil` for the default.
    package var refusalStatus: Int?
    var codes: CloseCodes

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

    /// The message in which a client may present its first token.
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

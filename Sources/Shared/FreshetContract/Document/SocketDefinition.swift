// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The handshake of a WebSocket, and the renewal of its access token.
package struct SocketDefinition: Sendable, Equatable {
    package enum TokenPlace: Sendable, Equatable {
        case query(String)
        case header(String, scheme: String)
        case subprotocol(Template)
        /// The first message, which contains the token.
        case message(JSONTemplate)
    }

    package enum Renewal: Sendable, Equatable {
        case reconnect
        case message(JSONTemplate)
    }

    package var path: Template
    package var token: TokenPlace
    package var renewal: Renewal
}

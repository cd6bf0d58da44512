// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
package import FreshetEngine
import FreshetWire
package import HTTPTypes
import HummingbirdCore
package import Logging

/// A path at which sockets are opened: authenticates handshakes, and holds shared dependencies.
package struct SocketEndpoint: Sendable {
    package let policy: SocketEndpointPolicy
    let bearer: BearerAuthentication
    /// Queries the database for whether a token's session is active.
    let isAlive: @Sendable (AccessClaims) async throws -> Bool
    let hub: SocketHub
    /// The origins whose pages may open sockets; clients other than browsers send no `Origin`.
    let origins: Set<String>
    /// Receives the clients' messages; `nil` to ignore them.
    let listener: SocketListener?
    let log: Logger
    /// Returns the network of a handshake's client; `nil` if unrelated clients share its address.
    var network: @Sendable (HTTPRequest, SourceAddress?) -> SourceNetwork? = { _, _ in nil }

    package init(
        policy: SocketEndpointPolicy,
        bearer: BearerAuthentication,
        isAlive: @escaping @Sendable (AccessClaims) async throws -> Bool,
        hub: SocketHub,
        origins: Set<String>,
        listener: SocketListener?,
        log: Logger,
        network: @escaping @Sendable (HTTPRequest, SourceAddress?) -> SourceNetwork? = { _, _ in nil }
    ) {
        self.policy = policy
        self.bearer = bearer
        self.isAlive = isAlive
        self.hub = hub
        self.origins = origins
        self.listener = listener
        self.log = log
        self.network = network
    }

    /// An accepted handshake: its slot, its claims and the response's header fields.
    struct AcceptedHandshake: Sendable {
        var place: SocketID
        /// The client's claims; `nil` if the client will authenticate in its first message.
        var claims: AccessClaims?
        var fields: HTTPFields
    }

    /// Authenticates a handshake, and reserves a slot for it.
    ///
    /// - Parameters:
    ///   - head: The handshake's request.
    ///   - peer: The address of the peer.
    /// - Returns: The accepted handshake; `nil` if it is refused, so that ``refusal(of:)`` returns the reason.
    func admit(_ head: HTTPRequest, from peer: SourceAddress?) async -> AcceptedHandshake? {
        do throws(APIError) {
            let (claims, fields) = try await examine(head)
            let place = try hub.take(claims, at: policy.contract, from: claims == nil ? network(head, peer) : nil)
            return AcceptedHandshake(place: place, claims: claims, fields: fields)
        } catch {
            return nil
        }
    }

    /// Returns the error for a request that opened no socket, for a route to respond with.
    ///
    /// A request that would now be accepted, or that was pipelined, gets an error that allows a retry.
    package func refusal(of head: HTTPRequest) async -> APIError {
        do throws(APIError) {
            if let full = hub.refusal(of: try await examine(head).claims) { return full }
        } catch {
            return error
        }
        return APIError(.unavailable, "repeat the handshake on a new connection", retryAfter: .seconds(1))
    }

    /// Verifies a token, and checks that its session is alive.
    ///
    /// The database is queried once for each token, because another process may just have ended the session.
    ///
    /// - Throws: `invalidToken`, or `unavailable` if the database does not answer.
    func claims(of token: String) async throws(APIError) -> AccessClaims {
        let claims = try bearer.claims(of: token)
        let isAlive: Bool
        do { isAlive = try await self.isAlive(claims) } catch {
            throw (error as? APIError) ?? APIError(.unavailable, "the database does not answer")
        }
        guard isAlive else { throw APIError(.invalidToken, "the session is over") }
        return claims
    }

    private func examine(_ head: HTTPRequest) async throws(APIError) -> (claims: AccessClaims?, fields: HTTPFields) {
        let handshake = try SocketHandshake(head)
        let named = head.headerFields[values: .origin]
        guard named.allSatisfy({ origins.contains($0.lowercased()) }) else {
            throw APIError(.originNotAllowed, "pages of this origin may not open sockets here")
        }
        var fields: HTTPFields = [
            .upgrade: "websocket", .connection: "Upgrade", .secWebSocketAccept: handshake.accept,
        ]
        let tokens = try tokens(head, handshake)
        guard tokens.count <= 1 else { throw APIError(.invalidRequest, "more than one access token") }
        guard let token = tokens.first else {
            guard policy.firstMessage != nil else { throw APIError(.invalidToken) }
            fields[.secWebSocketProtocol] = policy.selected(handshake)
            return (nil, fields)
        }
        fields[.secWebSocketProtocol] = policy.selected(handshake)
        return (try await claims(of: token), fields)
    }

    /// Returns the tokens of a handshake, from all places that the policy accepts.
    private func tokens(_ head: HTTPRequest, _ handshake: SocketHandshake) throws(APIError) -> [String] {
        var tokens = try policy.tokens(in: head.headerFields, handshake)
        for case .query(let name) in policy.tokenLocations {
            let query = URI(head.path ?? "").queryParameters
            for (key, value) in query where key == name { tokens.append(String(value)) }
        }
        return tokens
    }
}

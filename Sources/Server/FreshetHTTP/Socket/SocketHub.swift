// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetEngine
package import FreshetWire
import NIOConcurrencyHelpers
import NIOCore

/// Knows who is connected: it has a place for each socket, publishes messages, and closes what ended sessions leave open.
///
/// The lock guards the tables; nothing is sent or waited for under it.
package final class SocketHub: Sendable {
    private struct Slot {
        /// `nil` until the client has shown a token.
        var principal: SocketPrincipal?
        /// `nil` until the handshake is done.
        var socket: OpenSocket?
    }

    private struct Tables {
        var lastID: UInt64 = 0
        var slots: [SocketID: Slot] = [:]
        var sessions: [SessionID: Set<SocketID>] = [:]
        var users: [UUID: Set<SocketID>] = [:]
        var unidentified: UnauthenticatedSockets<SocketID>
    }

    package let limits: SocketLimits
    private let tables: NIOLockedValueBox<Tables>

    package init(_ limits: SocketLimits) {
        self.limits = limits
        let unidentified = UnauthenticatedSockets<SocketID>(
            total: limits.unidentified,
            perNetwork: limits.unidentifiedPerSource
        )
        tables = NIOLockedValueBox(Tables(unidentified: unidentified))
    }

    // MARK: - For the embedding application

    /// Who is connected now.
    package var principals: [SocketPrincipal] {
        tables.withLockedValue { $0.slots.values.compactMap { $0.socket == nil ? nil : $0.principal } }
    }

    /// Sends a message to every open socket of an recipients, and waits until it is written or cannot be.
    ///
    /// Messages of one caller that waits arrive in order. A client that does not read is closed with 1013 when what waits
    /// for it is too much or too old, so nobody waits for it for longer than that.
    package func publish(_ message: SocketMessage, to recipients: SocketRecipients) async -> DeliveryReport {
        let sockets = sockets(recipients)
        var published = DeliveryReport(addressed: sockets.count, written: 0)
        // All are told first, then waited for.
        for written in sockets.map({ $0.send(message) }) {
            guard let written, (try? await written.get()) != nil else { continue }
            published.written += 1
        }
        return published
    }

    private func sockets(_ recipients: SocketRecipients) -> [OpenSocket] {
        tables.withLockedValue { tables in
            let ids: Set<SocketID> =
                switch recipients {
                case .all: Set(tables.slots.keys)
                case .user(let user): tables.users[user] ?? []
                case .session(let session): tables.sessions[session] ?? []
                case .socket(let id): [id]
                }
            return ids.compactMap { tables.slots[$0] }.compactMap { $0.principal == nil ? nil : $0.socket }
        }
    }

    // MARK: - Places

    /// Takes a place for a handshake.
    ///
    /// - Parameters:
    ///   - claims: Who asks; `nil` if that will be told in a message.
    ///   - contract: At whose path.
    ///   - network: The client's network, if its clients can be told from others.
    /// - Returns: The place's name, to be released in the end.
    /// - Throws: `tooManyRequests` if session or user have too many, `unavailable` if the server does.
    package func take(
        _ claims: AccessClaims?,
        at contract: String?,
        from network: SourceNetwork? = nil
    ) throws(APIError) -> SocketID {
        var displaced: OpenSocket?
        let taken: Result<SocketID, APIError> = tables.withLockedValue { tables in
            if let refusal = refusal(of: claims, in: tables) { return .failure(refusal) }
            tables.lastID += 1
            let id = SocketID(number: tables.lastID)
            if claims == nil {
                switch tables.unidentified.insert(id, from: network) {
                case .admitted: break
                case .replaces(let other): displaced = tables.slots.removeValue(forKey: other)?.socket
                case .refused: return .failure(Self.tooManyUnidentified)
                }
            }
            tables.slots[id] = Slot()
            if let claims { Self.enter(claims, contract, id, in: &tables) }
            return .success(id)
        }
        displaced?.displace()
        return try taken.get()
    }

    /// Why there is no place; as ``take(_:at:)``, without taking one.
    package func refusal(of claims: AccessClaims?) -> APIError? {
        tables.withLockedValue { refusal(of: claims, in: $0) }
    }

    /// Says who sits at a place that was taken for somebody unknown.
    ///
    /// - Returns: `false` if they have too many, or the place was given to another client.
    func identify(_ id: SocketID, as claims: AccessClaims, at contract: String?) -> Bool {
        tables.withLockedValue { tables in
            guard refusalOfShare(claims, in: tables) == nil, tables.unidentified.remove(id) else { return false }
            Self.enter(claims, contract, id, in: &tables)
            return true
        }
    }

    /// The handshake is done: from now on the socket of a known client gets what is published.
    ///
    /// - Returns: `false` if its place was given to another client meanwhile.
    package func open(_ id: SocketID, _ socket: OpenSocket) -> Bool {
        tables.withLockedValue { tables in
            tables.slots[id]?.socket = socket
            return tables.slots[id] != nil
        }
    }

    func release(_ id: SocketID) {
        tables.withLockedValue { tables in
            guard let place = tables.slots.removeValue(forKey: id) else { return }
            guard let principal = place.principal else {
                tables.unidentified.remove(id)
                return
            }
            tables.sessions[principal.session]?.remove(id)
            if tables.sessions[principal.session]?.isEmpty == true { tables.sessions[principal.session] = nil }
            tables.users[principal.user]?.remove(id)
            if tables.users[principal.user]?.isEmpty == true { tables.users[principal.user] = nil }
        }
    }

    // MARK: - Ends

    /// Closes the sockets of sessions that are over.
    package func end(_ sessions: [SessionID], _ reason: EndReason) {
        for socket in sessions.flatMap({ self.sockets(.session($0)) }) { socket.end(reason) }
    }

    // MARK: - Under the lock

    private func refusal(of claims: AccessClaims?, in tables: Tables) -> APIError? {
        guard tables.slots.count < limits.total else {
            return APIError(.unavailable, "too many sockets", retryAfter: Self.wait)
        }
        return claims.flatMap { refusalOfShare($0, in: tables) }
    }

    private func refusalOfShare(_ claims: AccessClaims, in tables: Tables) -> APIError? {
        guard tables.sessions[claims.session, default: []].count < limits.perSession else {
            return APIError(.tooManyRequests, "too many sockets of this session", retryAfter: Self.wait)
        }
        guard tables.users[claims.user, default: []].count < limits.perUser else {
            return APIError(.tooManyRequests, "too many sockets of this user", retryAfter: Self.wait)
        }
        return nil
    }

    private static func enter(_ claims: AccessClaims, _ contract: String?, _ id: SocketID, in tables: inout Tables) {
        tables.slots[id]?.principal = SocketPrincipal(
            socket: id,
            session: claims.session,
            user: claims.user,
            contract: contract
        )
        tables.sessions[claims.session, default: []].insert(id)
        tables.users[claims.user, default: []].insert(id)
    }

    private static let wait = Duration.seconds(5)

    private static var tooManyUnidentified: APIError {
        APIError(.unavailable, "too many sockets without a token", retryAfter: wait)
    }
}

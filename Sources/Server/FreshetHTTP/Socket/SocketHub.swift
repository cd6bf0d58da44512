// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
package import FreshetWire
import NIOConcurrencyHelpers
import NIOCore

/// Tracks sockets: reserves slots, publishes messages, closes the sockets of ended sessions.
///
/// The lock guards the tables; nothing is sent or awaited while it is held.
package final class SocketHub: Sendable {
    private struct Slot {
        /// The authenticated client; `nil` before the authentication.
        var principal: SocketPrincipal?
        /// The open socket; `nil` before the handshake is complete.
        var socket: OpenSocket?
    }

    private struct Tables {
        var lastID: UInt64 = 0
        var slots: [SocketID: Slot] = [:]
        var sessions: [SessionID: Set<SocketID>] = [:]
        var users: [UUID: Set<SocketID>] = [:]
        var unidentified: UnauthenticatedSockets<SocketID>
    }

    let limits: SocketLimits
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

    /// The authenticated clients that are connected now.
    package var principals: [SocketPrincipal] {
        tables.withLockedValue { $0.slots.values.compactMap { $0.socket == nil ? nil : $0.principal } }
    }

    /// Sends a message to the recipients' open sockets, and waits until each write succeeds or fails.
    ///
    /// Messages of a caller that awaits each call arrive in order. The socket of a client that does not read is closed
    /// with 1013 when its queue is too long or too old, which bounds the wait.
    func publish(_ message: SocketMessage, to recipients: SocketRecipients) async -> DeliveryReport {
        let sockets = sockets(recipients)
        var published = DeliveryReport(addressed: sockets.count, written: 0)
        // All writes are started before the first is awaited.
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

    // MARK: - Slots

    /// Reserves a slot for a handshake.
    ///
    /// - Parameters:
    ///   - claims: The client's claims; `nil` if it will authenticate in a message.
    ///   - contract: The contract at whose path the socket is opened.
    ///   - network: The client's network; `nil` if unrelated clients share its address.
    /// - Returns: The slot's ID, to be released when the socket closes.
    /// - Throws: `tooManyRequests` if the session or the user has too many sockets, `unavailable` if the server has too
    ///   many.
    func take(
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

    /// Returns the error with which ``take(_:at:)`` would refuse, without reserving a slot.
    func refusal(of claims: AccessClaims?) -> APIError? {
        tables.withLockedValue { refusal(of: claims, in: $0) }
    }

    /// Records the claims of a client that authenticated after its handshake.
    ///
    /// - Returns: `false` if its session or user has too many sockets, or the slot was given to another client.
    func identify(_ id: SocketID, as claims: AccessClaims, at contract: String?) -> Bool {
        tables.withLockedValue { tables in
            guard refusalOfShare(claims, in: tables) == nil, tables.unidentified.remove(id) else { return false }
            Self.enter(claims, contract, id, in: &tables)
            return true
        }
    }

    /// Registers the socket of a completed handshake, to receive published messages once authenticated.
    ///
    /// - Returns: `false` if its slot was given to another client in the meantime.
    func open(_ id: SocketID, _ socket: OpenSocket) -> Bool {
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

    // MARK: - Ended sessions

    /// Closes the sockets of ended sessions.
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

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

package import struct Foundation.UUID

/// All of a session's data on the server (PROTOCOL.md, "Server row").
///
/// A session has one row for its lifetime, regardless of the number of refreshes.
package struct SessionRow: Equatable, Sendable {
    package let id: SessionID
    package let user: UUID
    /// The columns that never change after the sign-in.
    ///
    /// They are stored behind one reference, because a refresh copies the row a dozen times.
    private var origin: Origin
    package var rotation: RotationState
    package var lastUsedAt: Timestamp
    /// The idle expiry, which each use extends up to ``absoluteExpiry``.
    package var idleExpiry: Timestamp
    package var ending: Ending?
    /// The ordinary refreshes that are not in the audit trail yet; `nil` if there were none.
    package var run: RefreshStreak?

    /// The time and the reason of a session's end.
    ///
    /// An expiry is not stored: it is checked when the row is read.
    package struct Ending: Equatable, Sendable {
        package var at: Timestamp
        package var reason: EndReason

        package init(at: Timestamp, reason: EndReason) {
            self.at = at
            self.reason = reason
        }
    }

    package init(
        id: SessionID,
        user: UUID,
        contract: String? = nil,
        salt: Bits128,
        rotation: RotationState,
        device: Device,
        createdAt: Timestamp,
        lastUsedAt: Timestamp,
        idleExpiry: Timestamp,
        absoluteExpiry: Timestamp,
        ending: Ending? = nil,
        run: RefreshStreak? = nil,
        place: String? = nil,
        method: String? = nil
    ) {
        self.id = id
        self.user = user
        self.rotation = rotation
        self.lastUsedAt = lastUsedAt
        self.idleExpiry = idleExpiry
        self.ending = ending
        self.run = run
        origin = Origin(
            OriginFacts(
                contract: contract,
                salt: salt,
                device: device,
                createdAt: createdAt,
                absoluteExpiry: absoluteExpiry,
                place: place,
                method: method
            )
        )
    }

    /// Creates the row of a session that starts now.
    package static func start(
        user: UUID,
        mode: RotationState.Mode,
        contract: String? = nil,
        device: Device,
        lifetimes: Lifetimes,
        keyID: UInt8,
        now: Timestamp
    ) -> SessionRow {
        var generator = SystemRandomNumberGenerator()
        let salt = Bits128(generator.next(), generator.next())
        let absoluteExpiry = now + lifetimes.absolute
        return SessionRow(
            id: .random(),
            user: user,
            contract: contract,
            salt: salt,
            rotation: RotationState(mode: mode, keyID: keyID, provedAt: now),
            device: device,
            createdAt: now,
            lastUsedAt: now,
            idleExpiry: min(now + lifetimes.idle, absoluteExpiry),
            absoluteExpiry: absoluteExpiry
        )
    }

    /// Returns the reason that the session has ended at `now`; `nil` if it is active.
    package func endReason(at now: Timestamp) -> EndReason? {
        if let ending { return ending.reason }
        // Only a newer server can interpret the times of a row in an unknown mode.
        guard rotation.mode.isKnown else { return nil }
        if now >= absoluteExpiry { return .absoluteTimeout }
        if now >= idleExpiry { return .idleTimeout }
        return nil
    }

    /// The time at which the session expires unless it is refreshed before then.
    package var end: Timestamp { min(idleExpiry, absoluteExpiry) }

    /// Whether a genuine token of the session shows that its holder is a device of the account.
    ///
    /// The session may have ended: a client that has the token runs on a device that the account knows. A copy of a
    /// token that was replaced shows nothing, nor does a session that ended for a security reason.
    ///
    /// - Parameters:
    ///   - token: The token, which was issued for this session.
    ///   - reset: The time at which the account's devices were last forgotten. A session that had ended or expired before
    ///     may be that of a person who had the account's password at the time.
    /// - Returns: Whether it does.
    package func showsDevice(_ token: RefreshToken, devicesForgottenAt reset: Timestamp?) -> Bool {
        guard rotation.isNewest(token), ending?.reason.details.cause.leavesDeviceTrusted ?? true else { return false }
        guard let reset else { return true }
        return (ending?.at ?? end) > reset
    }
}

// MARK: - Fixed columns

extension SessionRow {
    /// The contract whose sign-in opened the session; `nil` for the native contract.
    package var contract: String? { origin.facts.contract }

    /// 128 random bits that are part of every MAC of this session.
    ///
    /// The key ring alone is therefore not sufficient to forge a token.
    package var salt: Bits128 { origin.facts.salt }

    package var device: Device { origin.facts.device }
    package var createdAt: Timestamp { origin.facts.createdAt }
    package var absoluteExpiry: Timestamp { origin.facts.absoluteExpiry }

    /// The address or network of the sign-in.
    package var place: String? {
        get { origin.facts.place }
        set { change { $0.place = newValue } }
    }

    /// The method of the sign-in; `nil` if it was not recorded.
    package var method: String? {
        get { origin.facts.method }
        set { change { $0.method = newValue } }
    }

    private mutating func change(_ body: (inout OriginFacts) -> Void) {
        var facts = origin.facts
        body(&facts)
        origin = Origin(facts)
    }

    fileprivate struct OriginFacts: Equatable, Sendable {
        var contract: String?
        var salt: Bits128
        var device: Device
        var createdAt: Timestamp
        var absoluteExpiry: Timestamp
        var place: String?
        var method: String?
    }

    fileprivate final class Origin: Equatable, Sendable {
        let facts: OriginFacts

        init(_ facts: OriginFacts) { self.facts = facts }

        static func == (lhs: Origin, rhs: Origin) -> Bool { lhs === rhs || lhs.facts == rhs.facts }
    }
}

extension SessionRow: Masked {
    /// A description without the salt, which is part of every MAC of the session and is as secret as a token.
    package var mask: String {
        "SessionRow(\(id), generation \(rotation.current), ending \(ending?.reason.rawValue ?? "none"))"
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

package import struct Foundation.UUID

/// All the server knows of a session: one row for ever, whatever the number of refreshes (PROTOCOL.md, "Server row").
package struct SessionRow: Equatable, Sendable {
    package let id: SessionID
    package let user: UUID
    /// The columns that never change after the sign-in.
    ///
    /// One reference, because a refresh copies the row a dozen times.
    private var origin: Origin
    package var rotation: RotationState
    package var lastUsedAt: Timestamp
    /// Slides with use, never past ``absoluteExpiry``.
    package var idleExpiry: Timestamp
    package var ending: Ending?
    /// The ordinary refreshes that the audit trail does not have yet; `nil` if there was none.
    package var run: RefreshStreak?

    /// When and why a session was ended.
    ///
    /// Passing an end in time writes nothing: expiry is a test at reading.
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

    /// A session that begins now.
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

    /// Why the session is over at `now`, if it is.
    package func endReason(at now: Timestamp) -> EndReason? {
        if let ending { return ending.reason }
        // Only a newer server can interpret the times of a row in an unknown mode.
        guard rotation.mode.isKnown else { return nil }
        if now >= absoluteExpiry { return .absoluteTimeout }
        if now >= idleExpiry { return .idleTimeout }
        return nil
    }

    /// When the session ends unless it is refreshed before.
    package var end: Timestamp { min(idleExpiry, absoluteExpiry) }
}

// MARK: - What stays

extension SessionRow {
    /// The contract whose sign-in opened it; `nil` for the native contract.
    package var contract: String? { origin.facts.contract }

    /// 128 random bits that go into every MAC of this session, so that the ring's key alone forges nothing.
    package var salt: Bits128 { origin.facts.salt }

    package var device: Device { origin.facts.device }
    package var createdAt: Timestamp { origin.facts.createdAt }
    package var absoluteExpiry: Timestamp { origin.facts.absoluteExpiry }

    /// The address or network that the sign-in came from.
    package var place: String? {
        get { origin.facts.place }
        set { change { $0.place = newValue } }
    }

    /// How the user signed in; `nil` if that was not noted.
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
    /// The salt goes into every MAC of the session, so it is no more to be seen than a token.
    package var mask: String {
        "SessionRow(\(id), generation \(rotation.current), ending \(ending?.reason.rawValue ?? "none"))"
    }
}

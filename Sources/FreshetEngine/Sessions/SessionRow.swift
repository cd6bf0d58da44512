// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

package import struct Foundation.UUID

/// All the server knows of a session: one row for ever, whatever the number of refreshes (PROTOCOL.md, "Server row").
package struct SessionRow: Equatable, Sendable {
    package let id: SessionID
    package let user: UUID
    /// The dialect whose sign-in opened it; `nil` for the native contract.
    package let dialect: String?
    /// 128 random bits that go into every MAC of this session, so that the ring's key alone forges nothing.
    package let salt: [UInt8]
    package var rotation: RotationState
    package var device: Device
    package let createdAt: Timestamp
    package var lastUsedAt: Timestamp
    /// Slides with use, never past ``absoluteEnd``.
    package var idleEnd: Timestamp
    package let absoluteEnd: Timestamp
    package var ending: Ending?
    /// The address or network that the sign-in came from.
    package var place: String?
    /// How the user signed in; `nil` if that was not noted.
    package var method: String?

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
        dialect: String? = nil,
        salt: [UInt8],
        rotation: RotationState,
        device: Device,
        createdAt: Timestamp,
        lastUsedAt: Timestamp,
        idleEnd: Timestamp,
        absoluteEnd: Timestamp,
        ending: Ending? = nil
    ) {
        self.id = id
        self.user = user
        self.dialect = dialect
        self.salt = salt
        self.rotation = rotation
        self.device = device
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.idleEnd = idleEnd
        self.absoluteEnd = absoluteEnd
        self.ending = ending
    }

    /// A session that begins now.
    package static func start(
        user: UUID,
        mode: RotationState.Mode,
        dialect: String? = nil,
        device: Device,
        lifetimes: Lifetimes,
        keyID: UInt8,
        now: Timestamp
    ) -> SessionRow {
        var generator = SystemRandomNumberGenerator()
        let salt = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let absoluteEnd = now + lifetimes.absolute
        return SessionRow(
            id: .random(),
            user: user,
            dialect: dialect,
            salt: salt,
            rotation: RotationState(mode: mode, keyID: keyID, provedAt: now),
            device: device,
            createdAt: now,
            lastUsedAt: now,
            idleEnd: min(now + lifetimes.idle, absoluteEnd),
            absoluteEnd: absoluteEnd
        )
    }

    /// Why the session is over at `now`, if it is.
    package func endReason(at now: Timestamp) -> EndReason? {
        if let ending { return ending.reason }
        if now >= absoluteEnd { return .absoluteTimeout }
        if now >= idleEnd { return .idleTimeout }
        return nil
    }

    /// When the session ends unless it is refreshed before.
    package var end: Timestamp { min(idleEnd, absoluteEnd) }
}

extension SessionRow: Masked {
    /// The salt goes into every MAC of the session, so it is no more to be seen than a token.
    package var mask: String {
        "SessionRow(\(id), generation \(rotation.current), ending \(ending?.reason.rawValue ?? "none"))"
    }
}

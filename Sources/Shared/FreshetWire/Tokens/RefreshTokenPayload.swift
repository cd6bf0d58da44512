// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The payload of a refresh token `T(s, g, b)`, without its MAC (PROTOCOL.md, "Tokens").
///
///     version (1 byte) | key id (1 byte) | session (16 bytes) | generation (varint) | branch (varint)
package struct RefreshTokenPayload: Hashable, Sendable {
    /// The only version that this code supports.
    package static let version: UInt8 = 1
    /// The maximum length: version, key and session, and two numbers of at most ten bytes.
    package static let maximumLength = 2 + Bits128.byteCount + 2 * 10

    /// The number of the key that computed the MAC.
    package var keyID: UInt8
    package var session: SessionID
    /// The number of rotations that led to this token; 0 at sign-in.
    package var generation: UInt64
    /// The number of this token among those of its generation; 0 except in plain mode.
    package var branch: UInt64

    package init(keyID: UInt8, session: SessionID, generation: UInt64, branch: UInt64 = 0) {
        self.keyID = keyID
        self.session = session
        self.generation = generation
        self.branch = branch
    }

    /// The bytes that the MAC covers.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.maximumLength)
        append(to: &bytes)
        return bytes
    }

    /// Appends ``bytes`` to the given bytes.
    package func append(to bytes: inout [UInt8]) {
        bytes.append(Self.version)
        bytes.append(keyID)
        session.bits.withUnsafeBytes { bytes.append(contentsOf: $0) }
        Varint.append(generation, to: &bytes)
        Varint.append(branch, to: &bytes)
    }

    /// Parses a payload that fills `bytes` exactly.
    package init(bytes: ArraySlice<UInt8>) throws(RefreshTokenError) {
        var rest = bytes
        guard let version = rest.popFirst() else { throw .malformed }
        guard version == Self.version else { throw .unknownVersion(version) }
        guard
            let keyID = rest.popFirst(),
            let session = SessionID(bytes: rest.prefix(16))
        else { throw .malformed }
        rest = rest.dropFirst(16)
        guard let generation = Varint.take(from: &rest), let branch = Varint.take(from: &rest), rest.isEmpty else {
            throw .malformed
        }
        self.init(keyID: keyID, session: session, generation: generation, branch: branch)
    }
}

/// The reason that a text is not a refresh token.
///
/// It is determined without a key and without reading any state.
package enum RefreshTokenError: Error, Equatable, Sendable {
    /// The text was never issued by any version of the server.
    case malformed
    /// A later version of the server may have issued the token, so the response must not be final.
    case unknownVersion(UInt8)
}

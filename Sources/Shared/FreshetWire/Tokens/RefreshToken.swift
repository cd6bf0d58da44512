// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A refresh token as transmitted: a body, and a MAC that only the server can verify.
///
/// The client reads the generation and the session from it and treats the rest as opaque.
package struct RefreshToken: Hashable, Sendable {
    private static let start: StaticString = "frt_"
    package static let prefix = start.description
    /// The length of HMAC-SHA-256 in bytes.
    package static let macLength = 32
    /// The maximum length of a token's text; longer ones are refused before they are decoded.
    ///
    /// It consists of the prefix and the base64url of the longest body and its MAC.
    package static let maximumTextLength =
        prefix.utf8.count + ((RefreshTokenPayload.maximumLength + macLength) * 4 + 2) / 3

    package let body: RefreshTokenPayload
    package let mac: [UInt8]

    /// Joins a body with its MAC, which must be ``macLength`` bytes long.
    package init(body: RefreshTokenPayload, mac: [UInt8]) {
        self.body = body
        self.mac = mac
    }

    /// Parses a token's text, without verifying its MAC.
    package init(_ text: String) throws(RefreshTokenError) {
        guard text.utf8.count <= Self.maximumTextLength, text.hasPrefix(Self.prefix),
            let bytes = Base64URL.decode(text.dropFirst(Self.prefix.count))
        else { throw .malformed }
        // A later version may have another layout, so the version byte is checked first.
        guard let version = bytes.first else { throw .malformed }
        guard version == RefreshTokenPayload.version else { throw .unknownVersion(version) }
        guard bytes.count > Self.macLength else { throw .malformed }
        body = try RefreshTokenPayload(bytes: bytes.dropLast(Self.macLength))
        mac = Array(bytes.suffix(Self.macLength))
    }

    /// The secret text, `frt_` and base64url.
    ///
    /// Must not be logged.
    package var text: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(RefreshTokenPayload.maximumLength + Self.macLength)
        body.append(to: &bytes)
        bytes += mac
        return Base64URL.encode(bytes, after: Self.start)
    }

    package var session: SessionID { body.session }
    package var generation: UInt64 { body.generation }
}

extension RefreshToken: Masked {
    package var mask: String { "frt_•••(session \(session), generation \(generation), branch \(body.branch))" }
}

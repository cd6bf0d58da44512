// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// Somebody who signs in to a backend's double; the same name or token is the same user at any time.
struct BackendUser: Sendable, Equatable {
    /// Stable, and a UUID in form.
    var id: String
    /// Stable, for backends that count their users.
    var number: Int
    var email: String?

    /// Whoever has this e-mail address.
    init(email: String) {
        self.init(seed: email.lowercased())
        self.email = email
    }

    /// Whoever an identity token is about: its `sub` if it is a JWT, else the token as a whole.
    init(identityToken: String) {
        let claims = BackendTokenGenerator.claims(of: identityToken)
        self.init(seed: claims?["sub"] as? String ?? identityToken)
        email = claims?["email"] as? String
    }

    private init(seed: String) {
        let (high, low) = (Self.digest("1" + seed), Self.digest("2" + seed))
        id = withUnsafeBytes(of: (high, low)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)).uuidString.lowercased() }
        number = Int(high % 1_000_000) + 1
    }

    /// FNV-1a: the same in every process, unlike the standard library's hashes.
    private static func digest(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

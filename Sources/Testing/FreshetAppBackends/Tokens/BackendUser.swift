// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// A user of a fake backend; an e-mail address or identity token always identifies the same user.
struct BackendUser: Sendable, Equatable {
    /// A stable identifier in the form of a UUID.
    var id: String
    /// A stable number, for backends that number their users.
    var number: Int
    var email: String?

    /// Creates the user with an e-mail address.
    init(email: String) {
        self.init(seed: email.lowercased())
        self.email = email
    }

    /// Creates the user of an identity token: by its `sub` if it is a JWT, otherwise by the whole token.
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

    /// Returns the FNV-1a hash, which is equal in all processes, unlike the standard library's hashes.
    private static func digest(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

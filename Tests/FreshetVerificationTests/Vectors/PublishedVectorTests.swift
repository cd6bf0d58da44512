// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import Testing

@testable import FreshetJWT

/// Keys against Project Wycheproof's files of swift-crypto's tests, which every checkout of this package has.
///
/// WycheproofSignatureTests reads newer files, but only where they are.
@Suite(.timeLimit(.minutes(5))) struct `Published test vectors` {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../.build/checkouts/swift-crypto/Tests").standardized

    /// Checks the cases of a file, and returns the number of those with a definite verdict.
    private func run(_ file: String) throws -> Int {
        var count = 0
        for group in try WycheproofFile(bytes: Array(try Data(contentsOf: Self.folder.appending(path: file)))).groups {
            let jwk = try #require((group.fields["publicKeyJwk"] ?? group.fields["keyJwk"])?.object)
            let key = try #require(VerificationKey(jwk))
            for test in group.cases where test.result != "acceptable" {
                let isAccepted = key.isValidSignature(try test.bytes("sig"), of: try test.bytes("msg"))
                #expect(isAccepted == (test.result == "valid"), "\(file) \(test.id) \(test.comment)")
                count += 1
            }
        }
        return count
    }

    private static let isHere = FileManager.default.fileExists(atPath: folder.path)

    @Test(
        .enabled(if: isHere, "swift-crypto's checkout"),
        arguments: [
            ("Test Vectors/ecdsa_secp256r1_sha256_p1363_test.json", 250), ("Test Vectors/ed25519_test.json", 145),
            ("CryptoExtrasVectors/rsa_signature_2048_sha256_test.json", 230),
        ]
    )
    func `signature verification agrees with swift-crypto's test vectors`(file: String, least: Int) throws {
        #expect(try run(file) >= least)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetEngine
import IdentityFixtures
import Testing

@testable import FreshetIdentity

@Suite struct `Keys that an operator gives in one text` {
    private let keys = SuppliedKeys(folder: FileManager.default.temporaryDirectory)
    private let pem = P256.Signing.PrivateKey().pemRepresentation

    private func fault(_ text: String) -> String? {
        do {
            _ = try KeyDocument(text)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `a key document can be a JWK set that names its keys and the key in use`() throws {
        var keys = keys
        keys.signing[7] = P256.Signing.PrivateKey()
        keys.inUse = ["es256": 1]
        let document = try KeyDocument(keys.text)
        #expect(document.ids(of: .signing) == [1, 7])
        #expect(document.ids(of: .mac) == [1])
        #expect(document.kinds == ["es256", "mac", "code"])
        #expect(document.inUse == [.signing: 1])
        #expect(document.signing[1] == keys.signing[1]?.pemRepresentation)
        #expect("\(document)" == "KeyDocument(code-1, es256-1, es256-7, mac-1)")
    }

    @Test func `a key document can be PEM keys after their names, and a single key needs no name`() throws {
        let parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
        #expect(try KeyDocument(parameters + pem).ids(of: .signing) == [1])
        let other = P256.Signing.PrivateKey().pemRepresentation
        #expect(try KeyDocument("es256-3\n\(pem)\nes256-4\n\(other)\n").ids(of: .signing) == [3, 4])
        #expect(fault("\(pem)\n\(other)")?.contains("needs its name in a line before it") == true)
        #expect(fault("es256-3\n\(pem)\nes256-3\n\(other)") == "es256-3 stands twice")
        #expect(fault("es256-3\n" + pem.dropLast(30)) == "a key in PEM has no end")
        let large = P384.Signing.PrivateKey().pemRepresentation
        #expect(fault(large) == "es256-1: not a private key of P-256 in PEM")
    }

    @Test func `invalid keys are refused with a message that quotes none of them`() throws {
        let text = keys.text
        let secret = try #require(text.firstMatch(of: /"d":"([^"]+)"/)?.1)
        let wrong: [(String, String)] = [
            ("", "neither"), ("nonsense", "neither"), (#"{"keys":[]}"#, "neither"), ("{", "not a JWK set"),
            (text + "}", "not a JWK set"), (text.replacing("es256-1", with: "es256-0"), "a key's name must be"),
            (text.replacing("es256-1", with: "es256-256"), "a key's name must be"),
            (text.replacing("es256-1", with: "mine"), "a key's name must be"),
            (text.replacing(#""kid":"mac-1","#, with: ""), "without a kid"),
            (text.replacing("code-1", with: "mac-1"), "stands twice"),
            (text.replacing("mac-1", with: "es256-2"), "its kty does not fit"),
            (text.replacing(secret, with: "AAAA"), "with its public half"),
            (
                text.replacing(secret, with: P256.Signing.PrivateKey().rawRepresentation.base64EncodedString()),
                "with its"
            ),
            (text.replacing(#""in_use":{}"#, with: #""in_use":{"es256":2}"#), "in_use names a key"),
            (text.replacing(#""in_use":{}"#, with: #""in_use":{"code":1}"#), "in_use names a key"),
            (String(repeating: " ", count: 70_000), "more than 64 KiB"),
        ]
        for (text, sentence) in wrong {
            let said = try #require(fault(text), "\(sentence)")
            #expect(said.contains(sentence), "\(said)")
            #expect(!said.contains(secret))
        }
    }

    @Test func `a new key document is refused if a kind is missing or a key has changed under its name`() throws {
        let old = try KeyDocument(keys.text)
        var other = keys
        other.code[2] = SymmetricKey(size: .bits256)
        #expect(throws: Never.self) { try KeyDocument(other.text).check(follows: old) }
        other.mac = [:]
        #expect(throws: KeyDocument.Fault.self) { try KeyDocument(other.text).check(follows: old) }
        other = keys
        other.signing[1] = P256.Signing.PrivateKey()
        #expect(throws: KeyDocument.Fault.self) { try KeyDocument(other.text).check(follows: old) }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetSystem
import FreshetWire

@testable import FreshetIdentity
@testable import FreshetServer

/// Keys as an operator would give them, and the files that a program prints.
struct SuppliedKeys {
    let folder: URL
    var signing: [UInt8: P256.Signing.PrivateKey] = [1: P256.Signing.PrivateKey()]
    var mac: [UInt8: SymmetricKey] = [1: SymmetricKey(size: .bits256)]
    var code: [UInt8: SymmetricKey] = [1: SymmetricKey(size: .bits256)]
    var inUse: [String: UInt8] = [:]

    /// All of them, as a JWK set.
    var text: String {
        var keys: [String] = signing.sorted { $0.key < $1.key }.map { id, key in
            let shown = JSONWebKey(key.publicKey)
            let secret = Base64URL.encode(key.rawRepresentation)
            return
                #"{"kty":"EC","crv":"P-256","kid":"es256-\#(id)","x":"\#(shown.x)","y":"\#(shown.y)","d":"\#(secret)"}"#
        }
        for (name, secrets) in [("mac", mac), ("code", code)] {
            for (id, key) in secrets {
                let text = Base64URL.encode(key.withUnsafeBytes { Array($0) })
                keys.append(#"{"kty":"oct","kid":"\#(name)-\#(id)","k":"\#(text)"}"#)
            }
        }
        let used = inUse.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ",")
        return #"{"keys":[\#(keys.joined(separator: ","))],"in_use":{\#(used)}}"#
    }

    var file: URL { folder.appending(path: "given.json") }

    /// A program that prints them, once they are published.
    var source: KeySource { .program(["/bin/cat", file.path]) }

    /// Sets the text that the program prints from now on.
    func publish(_ text: String? = nil) throws {
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        try PrivateFiles.replace(file, with: Array((text ?? self.text).utf8))
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Crypto
package import Foundation
package import FreshetIdentity
import FreshetSystem
import FreshetWire

/// Keys as an operator would give them, and the files that a program prints.
package struct SuppliedKeys {
    package let folder: URL
    package var signing: [UInt8: P256.Signing.PrivateKey] = [1: P256.Signing.PrivateKey()]
    package var mac: [UInt8: SymmetricKey] = [1: SymmetricKey(size: .bits256)]
    package var code: [UInt8: SymmetricKey] = [1: SymmetricKey(size: .bits256)]
    package var inUse: [String: UInt8] = [:]

    package init(folder: URL) { self.folder = folder }

    /// All of them, as a JWK set.
    package var text: String {
        var keys: [String] = signing.sorted { $0.key < $1.key }.map { id, key in
            let point = key.publicKey.rawRepresentation
            let (x, y) = (Base64URL.encode(point.prefix(32)), Base64URL.encode(point.suffix(32)))
            let secret = Base64URL.encode(key.rawRepresentation)
            return
                #"{"kty":"EC","crv":"P-256","kid":"es256-\#(id)","x":"\#(x)","y":"\#(y)","d":"\#(secret)"}"#
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

    package var file: URL { folder.appending(path: "given.json") }

    /// A program that prints them, once they are published.
    package var source: KeySource { .program(["/bin/cat", file.path]) }

    /// Sets the text that the program prints from now on.
    package func publish(_ text: String? = nil) throws {
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        try PrivateFiles.replace(file, with: Array((text ?? self.text).utf8))
    }
}

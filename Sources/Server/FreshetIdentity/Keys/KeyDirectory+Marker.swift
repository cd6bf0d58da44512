// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetSystem
import FreshetWire

extension KeyDirectory {
    /// The file with the identity of the database that the keys belong to, in hex: `keys/database`.
    private var markerFile: URL { url.appending(path: "database") }

    /// Returns the recorded identity; `nil` if the keys were never used with a database that has one.
    ///
    /// - Throws: `IdentityStartupError.unreadableKeyFile` if the file is not valid.
    func marker() throws -> Bits128? {
        guard FileManager.default.fileExists(atPath: markerFile.path) else { return nil }
        let text = try? String(contentsOf: markerFile, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        let digits = Array((text ?? "").utf8)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap { index in
            UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16)
        }
        guard digits.count == 2 * Bits128.byteCount, let marker = Bits128(bytes: bytes) else {
            throw IdentityStartupError.unreadableKeyFile(markerFile.path)
        }
        return marker
    }

    func setMarker(_ identity: Bits128) throws {
        let text = identity.bytes.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
        try PrivateFiles.replace(markerFile, with: Array("\(text)\n".utf8))
    }
}

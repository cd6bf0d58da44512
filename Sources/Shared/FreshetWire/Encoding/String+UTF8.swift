// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension String {
    /// Decodes UTF-8; `nil` if the bytes are invalid.
    ///
    /// The standard library's `String(validating:as:)` needs macOS 15 and iOS 18.
    package init?(utf8 bytes: some Collection<UInt8>) {
        let decoded =
            bytes.withContiguousStorageIfAvailable(Self.decoded) ?? Array(bytes).withUnsafeBufferPointer(Self.decoded)
        guard let decoded else { return nil }
        self = decoded
    }

    /// Not generic, as other modules call generic code without specialization.
    private static func decoded(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        var text = String(decoding: bytes, as: UTF8.self)
        // Where bytes are invalid, the text has a replacement character in their place.
        return text.withUTF8 { $0.elementsEqual(bytes) } ? text : nil
    }
}

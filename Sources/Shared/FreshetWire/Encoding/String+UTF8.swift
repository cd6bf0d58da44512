// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension String {
    /// Decodes UTF-8; `nil` if the bytes are invalid.
    ///
    /// The standard library's `String(validating:as:)` needs macOS 15 and iOS 18.
    package init?(utf8 bytes: some Collection<UInt8>) {
        let text = String(decoding: bytes, as: UTF8.self)
        // Where bytes are invalid, the text has a replacement character in their place.
        guard text.utf8.elementsEqual(bytes) else { return nil }
        self = text
    }
}

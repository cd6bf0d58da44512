// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire

/// One sentence about what was just done, shown once on the page after it.
///
/// It travels in a cookie that only this server can set, so nobody else can put words into a page's mouth.
struct FlashMessage: Equatable, Sendable {
    static let lifetime = Duration.seconds(60)
    static let longest = 300

    var text: String

    init(_ text: String) {
        self.text = String(text.prefix(Self.longest))
    }

    /// Reads a cookie's value.
    init?(cookie: String) {
        guard cookie.utf8.count <= 4 * Self.longest * 2, let bytes = Base64URL.decode(cookie),
            let text = String(validating: bytes, as: UTF8.self), !text.isEmpty
        else { return nil }
        self.init(text)
    }

    var cookieValue: String { Base64URL.encode(Array(text.utf8)) }
}

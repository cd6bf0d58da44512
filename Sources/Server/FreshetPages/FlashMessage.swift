// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire

/// A one-sentence confirmation of an action, shown once on the next page.
///
/// It is stored in a cookie that only this server can set, so other sites cannot inject text into a page.
struct FlashMessage: Equatable, Sendable {
    static let lifetime = Duration.seconds(60)
    static let longest = 300

    var text: String

    init(_ text: String) {
        self.text = String(text.prefix(Self.longest)).prefix(bytes: 4 * Self.longest)
    }

    /// Parses a cookie's value.
    init?(cookie: String) {
        guard cookie.utf8.count <= 4 * Self.longest * 2, let bytes = Base64URL.decode(cookie),
            let text = String(utf8: bytes), !text.isEmpty
        else { return nil }
        self.init(text)
    }

    var cookieValue: String { Base64URL.encode(Array(text.utf8)) }
}

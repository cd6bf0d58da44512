// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
package import FreshetEngine
import FreshetWire
package import NIOCore

extension URLEncodedForm {
    /// Parses the fields of a body.
    ///
    /// A parameter without a value counts as omitted (RFC 6749 section 3.2), and no parameter may appear twice.
    package static func fields(of content: ByteBuffer) throws(APIError) -> [(name: String, value: String)] {
        guard let text = String(utf8: content.readableBytesView), let fields = decode(text) else {
            throw APIError(.invalidRequest, "the body is no form, or a parameter stands twice")
        }
        return fields.filter { !$0.value.isEmpty }
    }
}

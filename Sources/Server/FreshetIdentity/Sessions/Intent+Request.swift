// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire

extension Intent {
    /// Parses the optional `intent` of a request.
    ///
    /// - Throws: `invalidRequest` if it is not 128 bits.
    static func read(_ text: String?) throws(APIError) -> Intent? {
        guard let text else { return nil }
        guard let intent = Intent(text) else { throw APIError(.invalidRequest, "intent: 128 bits, base64url") }
        return intent
    }
}

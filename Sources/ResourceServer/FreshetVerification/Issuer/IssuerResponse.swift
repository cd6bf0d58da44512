// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// An issuer's response.
package struct IssuerResponse: Sendable {
    package var status: Int
    /// The value of the `Cache-Control` header field.
    package var cacheControl: String?
    package var body: [UInt8]

    package init(status: Int, cacheControl: String? = nil, body: [UInt8]) {
        self.status = status
        self.cacheControl = cacheControl
        self.body = body
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

package import struct Foundation.URL

/// A GET request to an issuer.
package struct IssuerRequest: Sendable, Masked {
    package var url: URL
    /// The value of the `Authorization` field.
    package var authorization: String?
    /// How long the response may take, to the end of its body.
    package var timeout: Duration
    /// The longest body that is read, in bytes.
    package var maximumLength: Int

    package var mask: String { "IssuerRequest(\(url.host() ?? ""))" }

    package init(
        url: URL,
        authorization: String? = nil,
        timeout: Duration = .seconds(10),
        maximumLength: Int = JWKSet.maximumLength
    ) {
        self.url = url
        self.authorization = authorization
        self.timeout = timeout
        self.maximumLength = maximumLength
    }

    /// Whether nothing between an address and this process can change or read what is sent.
    ///
    /// That is HTTPS, and HTTP on this machine; a name and password in the address are refused.
    package static func isSafe(_ url: URL) -> Bool {
        guard let host = url.host(percentEncoded: false), !host.isEmpty, url.user() == nil, url.password() == nil else {
            return false
        }
        let isLocal = ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host)
        return url.scheme == "https" || (url.scheme == "http" && isLocal)
    }
}

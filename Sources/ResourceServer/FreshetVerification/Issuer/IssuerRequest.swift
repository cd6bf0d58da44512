// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Verification
    public import struct Foundation.URL

    /// A GET request to an issuer.
    public struct IssuerRequest: Sendable {
        /// The URL: HTTPS, or HTTP on this machine.
        public var url: URL
        /// The value of the `Authorization` header field.
        public var authorization: String?
        /// The timeout of the response, including its body.
        public var timeout: Duration
        /// The maximum length of the body in bytes.
        public var maximumLength: Int

        package init(
            url: URL,
            authorization: String? = nil,
            timeout: Duration = .seconds(10),
            maximumLength: Int = 262_144
        ) {
            self.url = url
            self.authorization = authorization
            self.timeout = timeout
            self.maximumLength = maximumLength
        }

        /// Whether a request to a URL cannot be read or changed in transit.
        ///
        /// True for HTTPS, and for HTTP on this machine; a user name or password in the URL is refused.
        package static func isSafe(_ url: URL) -> Bool {
            guard let host = url.host(percentEncoded: false), !host.isEmpty, url.user() == nil, url.password() == nil
            else {
                return false
            }
            let isLocal = ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host)
            return url.scheme == "https" || (url.scheme == "http" && isLocal)
        }
    }

    extension IssuerRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// The host, without the query and the credentials.
        public var description: String { "IssuerRequest(\(url.host() ?? ""))" }
        /// The same as ``description``.
        public var debugDescription: String { description }
        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: EmptyCollection(), displayStyle: .struct) }
    }
#endif

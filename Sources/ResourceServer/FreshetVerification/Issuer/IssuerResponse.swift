// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Verification
    /// An issuer's response.
    public struct IssuerResponse: Sendable {
        /// The status code.
        public var status: Int
        /// The value of the `Cache-Control` header field.
        public var cacheControl: String?
        /// The whole body.
        public var body: [UInt8]

        /// Creates a response with its whole body.
        public init(status: Int, cacheControl: String? = nil, body: [UInt8]) {
            self.status = status
            self.cacheControl = cacheControl
            self.body = body
        }
    }
#endif

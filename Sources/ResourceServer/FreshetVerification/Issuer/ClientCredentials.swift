// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Verification
    import Foundation

    /// The credentials of a confidential OAuth client (RFC 6749 section 2.3.1).
    public struct ClientCredentials: Sendable {
        /// The client ID, as registered in the server's `--oauth-clients`.
        public var id: String
        /// The client secret, of which the server has a hash.
        public var secret: String

        /// Creates credentials for HTTP Basic authentication.
        public init(id: String, secret: String) {
            self.id = id
            self.secret = secret
        }

        /// The value of the `Authorization` header field.
        var authorization: String { "Basic " + Data("\(id):\(secret)".utf8).base64EncodedString() }
    }

    extension ClientCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// The client ID, without the secret.
        public var description: String { "ClientCredentials(\(id), •••)" }
        /// The same as ``description``.
        public var debugDescription: String { description }
        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: EmptyCollection(), displayStyle: .struct) }
    }
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation

    /// The forms of requests to the OAuth endpoints.
    enum OAuthForm {
        /// The ID of the public client that the devices have.
        static let clientID = "phone"
        /// Another public client.
        static let otherClientID = "tablet"
        /// The resource server, and its secret.
        static let (backendID, backendSecret) = ("backend", "the secret of the resource server")
        /// The servers' registry of clients.
        static let registry = """
            {"clients":[{"id":"phone","kind":"public"},{"id":"tablet","kind":"public"},{"id":"backend","kind":"confidential",
            "secret":"sha256:1cbc2d22e38bf439be6b603726fb46a571fa36a1e80c537419ff2f8136b97ba9"}]}
            """

        /// Returns the refresh token of a form.
        static func refreshToken(in body: Data) -> String? {
            guard let start = body.range(of: Data("=frt_".utf8)) else { return nil }
            let rest = body[(start.lowerBound + 1)...]
            return String(bytes: rest.prefix { $0 != UInt8(ascii: "&") }, encoding: .utf8)
        }
    }
#endif

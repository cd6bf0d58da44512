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
        /// The servers' registry of clients.
        static let registry = #"{"clients":[{"id":"phone","kind":"public"},{"id":"tablet","kind":"public"}]}"#

        /// Returns the refresh token of a form.
        static func refreshToken(in body: Data) -> String? {
            guard let start = body.range(of: Data("=frt_".utf8)) else { return nil }
            let rest = body[(start.lowerBound + 1)...]
            return String(bytes: rest.prefix { $0 != UInt8(ascii: "&") }, encoding: .utf8)
        }
    }
#endif

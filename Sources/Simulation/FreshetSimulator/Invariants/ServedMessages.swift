// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetWire

    extension URLRequest {
        /// The native path with the same purpose as the request's.
        var nativePath: String {
            guard let url else { return "" }
            switch url.path {
            // Foreign backends have the same paths.
            case NativePath.oauthToken where url.host() == ServedApp.host: return NativePath.refresh
            case NativePath.oauthRevoke where url.host() == ServedApp.host: return NativePath.logout
            case let path: return ServedApp.nativePath(of: path)
            }
        }

        /// The refresh token of this server that a request presents in the way of a served contract, or in a form.
        var servedRefreshToken: String? {
            httpBody.flatMap { TokenText.first("frt_", in: $0) ?? OAuthForm.refreshToken(in: $0) }
                ?? bearerToken.flatMap { $0.hasPrefix("frt_") ? $0 : nil }
        }
    }

    /// The tokens of a response in the form of a served contract; all contracts issue the same tokens.
    struct ServedTokens {
        /// The claims of an access token.
        struct Claims: Decodable {
            var sid: String
            var sub: String
        }

        var accessToken: String
        /// The refresh token; `nil` if the contract's response has none.
        var refreshToken: String?
        var claims: Claims

        /// Returns the refresh token of a response, of whichever contract.
        static func refreshToken(in data: Data) -> String? { TokenText.first("frt_", in: data) }

        init?(_ data: Data) {
            guard let token = TokenText.first("eyJ", in: data) else { return nil }
            let parts = token.split(separator: ".")
            guard parts.count == 3 else { return nil }
            var payload = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
            payload += String(repeating: "=", count: (4 - payload.count % 4) % 4)
            guard let json = Data(base64Encoded: payload),
                let claims = try? JSONDecoder().decode(Claims.self, from: json)
            else { return nil }
            accessToken = token
            refreshToken = Self.refreshToken(in: data)
            self.claims = claims
        }
    }

    /// Finds tokens by their prefixes.
    private enum TokenText {
        /// Returns the first JSON string with a prefix.
        static func first(_ prefix: String, in data: Data) -> String? {
            guard let start = data.range(of: Data("\"\(prefix)".utf8)) else { return nil }
            let rest = data[(start.lowerBound + 1)...]
            return String(bytes: rest.prefix { $0 != UInt8(ascii: "\"") }, encoding: .utf8)
        }
    }
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetWire

    /// The holder of a token: the device to which it was issued, or a thief with a copy.
    enum Holder: Sendable {
        case owner, thief
    }

    /// The body of a request that presents a refresh token.
    struct TokenBody: Codable {
        var refreshToken: String
        var intent: String?

        enum CodingKeys: String, CodingKey {
            case refreshToken = "refresh_token"
            case intent
        }

        init(refreshToken: String, intent: String? = nil) {
            self.refreshToken = refreshToken
            self.intent = intent
        }

        init?(_ request: URLRequest) {
            if let data = request.httpBody, let body = try? JSONDecoder().decode(Self.self, from: data) {
                self = body
            } else if let token = request.servedRefreshToken {
                self.init(refreshToken: token)
            } else {
                return nil
            }
        }
    }

    extension URLRequest {
        /// The access token that the request presents.
        var bearerToken: String? {
            value(forHTTPHeaderField: "Authorization").map { String($0.dropFirst("Bearer ".count)) }
        }
    }
#endif

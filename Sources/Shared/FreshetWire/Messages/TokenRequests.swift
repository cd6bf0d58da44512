// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The body of `POST /v1/refresh`.
package struct RefreshRequest: Codable, Equatable, Sendable, Masked {
    package var refreshToken: String
    /// The intent stored for this generation; clients in plain mode send none.
    package var intent: String?

    package init(refreshToken: String, intent: String? = nil) {
        self.refreshToken = refreshToken
        self.intent = intent
    }

    package var mask: String { "RefreshRequest(•••)" }

    private enum CodingKeys: String, CodingKey {
        case refreshToken = "refresh_token"
        case intent
    }
}

/// The body of `POST /v1/confirm`, `/v1/report` and `/v1/logout`.
package struct PresentedToken: Codable, Equatable, Sendable, Masked {
    package var refreshToken: String

    package init(refreshToken: String) {
        self.refreshToken = refreshToken
    }

    package var mask: String { "PresentedToken(•••)" }

    private enum CodingKeys: String, CodingKey {
        case refreshToken = "refresh_token"
    }
}

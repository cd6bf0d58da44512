// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The response to `POST /v1/login/apple/nonce`.
package struct AppleNonce: Codable, Equatable, Sendable, Masked {
    /// The nonce of one sign-in.
    ///
    /// The app sends its SHA-256 in hex to Apple, and the nonce itself to this server.
    package var nonce: String
    /// The seconds until it expires.
    package var expiresIn: Int

    package init(nonce: String, expiresIn: Int) {
        self.nonce = nonce
        self.expiresIn = expiresIn
    }

    package var mask: String { "AppleNonce(•••)" }

    private enum CodingKeys: String, CodingKey {
        case nonce
        case expiresIn = "expires_in"
    }
}

/// The body of `POST /v1/login/apple`.
package struct AppleCredentials: Codable, Equatable, Sendable, Masked {
    package var identityToken: String
    package var nonce: String
    package var device: Device?
    /// 128 random bits that the client generated.
    ///
    /// A retry with the same bits after a lost response returns the same session.
    package var intent: String?
    /// The name that Apple gave the app at the user's first sign-in.
    package var fullName: String?

    package init(
        identityToken: String,
        nonce: String,
        device: Device? = nil,
        intent: String? = nil,
        fullName: String? = nil
    ) {
        self.fullName = fullName
        self.identityToken = identityToken
        self.nonce = nonce
        self.device = device
        self.intent = intent
    }

    package var mask: String { "AppleCredentials(•••)" }

    private enum CodingKeys: String, CodingKey {
        case nonce, device, intent
        case fullName = "full_name"
        case identityToken = "identity_token"
    }
}

/// The body of `POST /v1/apple/notices`, as Apple sends it.
package struct AppleNotificationBody: Codable, Equatable, Sendable {
    /// The notification as a JWS.
    package var payload: String

    package init(payload: String) {
        self.payload = payload
    }
}

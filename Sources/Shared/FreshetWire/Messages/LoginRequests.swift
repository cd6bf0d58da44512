// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The body of `POST /v1/signup` and `POST /v1/login/password`.
package struct PasswordCredentials: Codable, Equatable, Sendable, Masked {
    package var email: String
    package var password: String
    package var device: Device?
    /// A refresh token that this device had for the account earlier.
    ///
    /// Attempts with it are counted separately.
    package var knownDevice: String?

    package init(email: String, password: String, device: Device? = nil, knownDevice: String? = nil) {
        self.email = email
        self.password = password
        self.device = device
        self.knownDevice = knownDevice
    }

    package var mask: String { "PasswordCredentials(\(email), password •••)" }

    private enum CodingKeys: String, CodingKey {
        case email, password, device
        case knownDevice = "known_device"
    }
}

/// The body of `POST /v1/login/code` and `/v1/password/reset`: a request for a code by mail.
package struct CodeRequest: Codable, Equatable, Sendable, Masked {
    package var email: String
    /// A refresh token that this device had earlier, as in ``PasswordCredentials``.
    package var knownDevice: String?

    package init(email: String, knownDevice: String? = nil) {
        self.email = email
        self.knownDevice = knownDevice
    }

    package var mask: String { "CodeRequest(\(email))" }

    private enum CodingKeys: String, CodingKey {
        case email
        case knownDevice = "known_device"
    }
}

/// The response to ``CodeRequest``: 202, and the same for known and unknown addresses.
package struct CodeAttempt: Codable, Equatable, Sendable {
    /// The attempt's identifier, which binds the code to the client that requested it.
    package var attempt: String
    /// The seconds until the code expires.
    package var expiresIn: Int

    package init(attempt: String, expiresIn: Int) {
        self.attempt = attempt
        self.expiresIn = expiresIn
    }

    private enum CodingKeys: String, CodingKey {
        case attempt
        case expiresIn = "expires_in"
    }
}

/// The body of `POST /v1/login/code/verify`.
package struct CodeVerification: Codable, Equatable, Sendable, Masked {
    package var attempt: String
    package var code: String
    package var device: Device?
    /// 128 random bits that the client generated.
    ///
    /// A retry with the same bits after a lost response returns the same session.
    package var intent: String?

    package init(attempt: String, code: String, device: Device? = nil, intent: String? = nil) {
        self.attempt = attempt
        self.code = code
        self.device = device
        self.intent = intent
    }

    package var mask: String { "CodeVerification(•••)" }
}

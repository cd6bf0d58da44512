// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract
internal import FreshetWire

/// The tokens of a session, for `confirm`, `report` and `logout`.
struct TokenPair: Equatable, Sendable, Masked {
    var refreshToken: String?
    var accessToken: String?

    /// The tokens as template values.
    var values: TemplateValues {
        TemplateValues(texts: ["refresh_token": refreshToken, "access_token": accessToken])
    }

    var mask: String { "TokenPair(•••)" }
}

extension PendingLogout {
    /// The tokens that the sign-out sends.
    var presented: TokenPair { TokenPair(refreshToken: refreshToken, accessToken: accessToken) }
}

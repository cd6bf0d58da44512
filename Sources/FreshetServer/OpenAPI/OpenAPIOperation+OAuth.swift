// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import HTTPTypes

extension OpenAPIOperation {
    /// The endpoints for OAuth libraries.
    static let oauth: [OpenAPIOperation] = [
        OpenAPIOperation(
            method: .post,
            path: NativePath.oauthToken,
            id: "oauthToken",
            summary: "The refresh_token grant (RFC 6749 section 6).",
            door: .client(isRequired: false),
            body: .form("TokenForm"),
            answers: [
                .ok("TokenAnswer", "New tokens."),
                .error(409, "A newer refresh token of this session is in use; no end."),
            ]
        ),
        OpenAPIOperation(
            method: .post,
            path: NativePath.oauthRevoke,
            id: "oauthRevoke",
            summary: "Ends the session of a token (RFC 7009).",
            door: .client(isRequired: false),
            body: .form("GivenToken"),
            answers: [.ok(nil, "It is over, or was no token.")]
        ),
        OpenAPIOperation(
            method: .post,
            path: NativePath.oauthIntrospect,
            id: "oauthIntrospect",
            summary: "What a token is worth (RFC 7662), for confidential clients.",
            door: .client(isRequired: true),
            body: .form("GivenToken"),
            answers: [.ok("Introspection", "What it says, or only that it is not active.")]
        ),
    ]
}

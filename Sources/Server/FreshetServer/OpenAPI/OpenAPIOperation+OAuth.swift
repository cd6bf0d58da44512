// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetIdentity
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
            security: .client(isRequired: false),
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
            security: .client(isRequired: false),
            body: .form("GivenToken"),
            answers: [.ok(nil, "It is over, or was no token.")]
        ),
        OpenAPIOperation(
            method: .post,
            path: NativePath.oauthIntrospect,
            id: "oauthIntrospect",
            summary: "Introspects a token (RFC 7662); for confidential clients.",
            security: .client(isRequired: true),
            body: .form("GivenToken"),
            answers: [.ok("Introspection", "The token's claims, or `active: false`.")]
        ),
        OpenAPIOperation(
            method: .get,
            path: NativePath.ended,
            id: "endedSessions",
            summary: "Which sessions ended of late, and from a cursor on as soon as they do; for confidential clients.",
            security: .client(isRequired: true),
            parameters: [
                #"{"name":"after","in":"query","description":"A cursor of an earlier answer.","schema":{"type":"string"}}"#,
                #"""
                {"name":"wait","in":"query","description":"How long to wait for something to tell, in seconds.",
                  "schema":{"type":"integer","minimum":0,"maximum":\#(RevocationFeedReader.maximumWait)}}
                """#,
            ],
            answers: [
                .ok("RevokedSessionCache", "Those that were not told before."),
                .error(400, "The cursor is none, or the time is out of bounds."),
            ]
        ),
    ]
}

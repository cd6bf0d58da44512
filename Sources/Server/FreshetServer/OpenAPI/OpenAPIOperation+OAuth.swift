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
                .error(409, "A newer refresh token of this session is in use; the session goes on."),
            ]
        ),
        OpenAPIOperation(
            method: .post,
            path: NativePath.oauthRevoke,
            id: "oauthRevoke",
            summary: "Ends the session of a token (RFC 7009).",
            security: .client(isRequired: false),
            body: .form("GivenToken"),
            answers: [.ok(nil, "The session has ended, or the token was unknown.")]
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
            summary: "Recently ended sessions, or those that end after a cursor; for confidential clients.",
            security: .client(isRequired: true),
            parameters: [
                #"{"name":"after","in":"query","description":"The cursor of an earlier response.","schema":{"type":"string"}}"#,
                #"""
                {"name":"wait","in":"query","description":"The longest wait for an ended session, in seconds.",
                  "schema":{"type":"integer","minimum":0,"maximum":\#(RevocationFeedReader.maximumWait)}}
                """#,
            ],
            answers: [
                .ok("EndedSessionList", "The ended sessions after the cursor."),
                .error(400, "The cursor is invalid, or the wait is out of range."),
            ]
        ),
    ]
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import HTTPTypes

extension OpenAPISection {
    /// The endpoints for refresh tokens.
    static let refresh = OpenAPISection(operations: refreshOperations, schemas: refreshSchemas)

    private static let refreshOperations: [OpenAPIOperation] =
        [
            OpenAPIOperation(
                method: .post,
                path: NativePath.refresh,
                id: "refresh",
                summary: "Exchanges a refresh token; the same token and intent always get the same successor.",
                body: .json("RefreshRequest"),
                answers: [.ok("Grant", "New tokens."), sessionEnded, .superseded, .tooManyAttempts]
            )
        ]
        + [
            (NativePath.confirm, "confirm", "Confirms that the client has stored a refresh token."),
            (
                NativePath.report, "report",
                "Reports that the client's newest stored refresh token was superseded by another holder."
            ),
            (NativePath.logout, "signOut", "Ends a session."),
        ].map { path, id, summary in
            OpenAPIOperation(
                method: .post,
                path: path,
                id: id,
                summary: summary,
                body: .json("PresentedToken"),
                answers: [.ok(nil, "Taken note of.", status: 204), sessionEnded, .superseded]
            )
        }

    private static let refreshSchemas: [OpenAPISchema] = [
        OpenAPISchema(
            "RefreshRequest",
            #"""
            {"type":"object","required":["refresh_token"],"properties":{"refresh_token":{"type":"string"},
              "intent":{"type":["string","null"],"description":"16 random bytes in base64url, 22 characters: new for each refresh token, the same for a retry. Only clients of OAuth and of other contracts omit it."}}}
            """#
        ),
        OpenAPISchema(
            "PresentedToken",
            #"{"type":"object","required":["refresh_token"],"properties":{"refresh_token":{"type":"string"}}}"#
        ),
    ]

    private static let sessionEnded = OpenAPIOperation.Response.error(
        400,
        """
        invalid_grant: the session has ended, for the given reason. invalid_request: the refresh token or the intent \
        is missing or malformed.
        """
    )
}

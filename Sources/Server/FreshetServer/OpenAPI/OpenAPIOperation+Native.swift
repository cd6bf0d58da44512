// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import HTTPTypes

extension OpenAPIOperation {
    /// The operations of the native contract and of the standards.
    static let all: [OpenAPIOperation] = logins + signInMethods + tokens + account + oauth + operation

    private static let tooManyAttempts = Response.error(429, "Too many attempts; Retry-After gives the time to wait.")

    private static let logins: [OpenAPIOperation] = [
        OpenAPIOperation(
            method: .post,
            path: NativePath.signup,
            id: "signUp",
            summary: "Creates an account with a password, and signs in.",
            security: .client(isRequired: false),
            body: .json("Credentials"),
            answers: [
                .ok("Grant", "Signed in.", status: 201),
                .error(
                    400,
                    "The e-mail address is invalid, the password is refused, or accounts need a mailed code here."
                ),
                .error(409, "The address has an account."), tooManyAttempts,
            ]
        ),
        OpenAPIOperation(
            method: .post,
            path: NativePath.loginPassword,
            id: "signInWithPassword",
            summary: "Signs in with a password.",
            security: .client(isRequired: false),
            body: .json("Credentials"),
            answers: [
                .ok("Grant", "Signed in."), .error(400, "invalid_grant: the address or the password is wrong."),
                tooManyAttempts,
            ]
        ),
        OpenAPIOperation(
            method: .post,
            path: NativePath.loginCode,
            id: "requestCode",
            summary: "Requests a code by mail; the response is the same for known and unknown addresses.",
            body: .json("CodeRequest"),
            answers: [
                .ok("CodeAttempt", "If the address can be reached, a code was sent.", status: 202),
                tooManyAttempts,
            ]
        ),
        OpenAPIOperation(
            method: .post,
            path: NativePath.loginCodeVerify,
            id: "signInWithCode",
            summary: "Signs in with a code.",
            security: .client(isRequired: false),
            body: .json("CodeVerification"),
            answers: [
                .ok("Grant", "Signed in."),
                .error(400, "invalid_grant: the code is wrong, used or expired; five wrong attempts invalidate it."),
                tooManyAttempts,
            ]
        ),
    ]

    private static let tokens: [OpenAPIOperation] =
        [
            OpenAPIOperation(
                method: .post,
                path: NativePath.refresh,
                id: "refresh",
                summary: "Exchanges a refresh token; the same token and intent always get the same successor.",
                body: .json("RefreshRequest"),
                answers: [.ok("Grant", "New tokens."), over, superseded, tooManyAttempts]
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
                answers: [.ok(nil, "Taken note of.", status: 204), over, superseded]
            )
        }

    private static let over = Response.error(
        400,
        """
        invalid_grant: the session has ended, for the given reason. invalid_request: the refresh token or the intent \
        is missing or malformed.
        """
    )
    private static let superseded = Response.error(
        409,
        "A newer refresh token of this session is in use; the session goes on."
    )

    private static let account: [OpenAPIOperation] = [
        OpenAPIOperation(
            method: .post,
            path: NativePath.logoutAll,
            id: "signOutEverywhere",
            summary: "Ends all sessions of the user.",
            security: .bearer,
            answers: [.ok(nil, "All are over.", status: 204)]
        ),
        OpenAPIOperation(
            method: .post,
            path: NativePath.logoutOthers,
            id: "signOutElsewhere",
            summary: "Ends all other sessions of the user.",
            security: .bearer,
            answers: [.ok(nil, "They are over.", status: 204)]
        ),
        OpenAPIOperation(
            method: .get,
            path: NativePath.sessions,
            id: "listSessions",
            summary: "The user's sessions.",
            security: .bearer,
            answers: [.ok("SessionList", "The live sessions.")]
        ),
        OpenAPIOperation(
            method: .delete,
            path: NativePath.sessions + "/{id}",
            id: "endSession",
            summary: "Ends one of the user's sessions.",
            security: .bearer,
            answers: [.ok(nil, "It is over.", status: 204), .error(404, "The user has no such session.")]
        ),
        OpenAPIOperation(
            method: .get,
            path: NativePath.me,
            id: "whoAmI",
            summary: "Returns the signed-in user.",
            security: .bearer,
            answers: [.ok("Me", "The user and the session.")]
        ),
        OpenAPIOperation(
            method: .get,
            path: NativePath.profile,
            id: "readProfile",
            summary: "The names that the signed-in user chose.",
            security: .bearer,
            answers: [.ok("Profile", "The profile."), .error(404, "The user has no profile.")]
        ),
        OpenAPIOperation(
            method: .put,
            path: NativePath.profile,
            id: "setProfile",
            summary: "Creates or changes the profile; omitted names stay.",
            security: .bearer,
            body: .json("Profile"),
            answers: [.ok("Profile", "The profile as it is now.")]
        ),
        OpenAPIOperation(
            method: .delete,
            path: NativePath.profile,
            id: "deleteProfile",
            summary: "Deletes the profile and its names.",
            security: .bearer,
            answers: [.ok(nil, "The profile was deleted.", status: 204)]
        ),
        OpenAPIOperation(
            method: .get,
            path: NativePath.socket,
            id: "openSocket",
            summary: "A WebSocket (RFC 6455); it closes within a second of its session's end.",
            answers: [
                .ok(nil, "The socket is open.", status: 101), .error(400, "The handshake is incomplete."),
                .error(401, "The access token is invalid."), .error(403, "The page's origin may not open sockets."),
                .error(426, "The request is not a WebSocket handshake."), .error(429, "There are too many sockets."),
            ]
        ),
    ]

    private static let operation: [OpenAPIOperation] = [
        (NativePath.keySet, "keys", "The public keys of access tokens (RFC 7517).", "KeySet"),
        (NativePath.metadata, "metadata", "The authorization server's metadata (RFC 8414).", "Metadata"),
        (NativePath.openAPI, "describe", "This document.", "OpenAPI"),
        (NativePath.live, "isAlive", "Reports that the process responds.", "Status"),
        (NativePath.ready, "isReady", "Reports whether the server can serve requests.", "Status"),
    ].map { path, id, summary, schema in
        OpenAPIOperation(method: .get, path: path, id: id, summary: summary, answers: [.ok(schema, "As it is now.")])
    }
}

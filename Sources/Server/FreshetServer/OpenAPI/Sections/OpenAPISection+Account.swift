// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import HTTPTypes

extension OpenAPISection {
    /// The changes of an account's sign-in methods.
    static let account = OpenAPISection(operations: accountOperations, schemas: accountSchemas)

    private static let accountOperations: [OpenAPIOperation] = [
        OpenAPIOperation(
            method: .post,
            path: NativePath.password,
            id: "changePassword",
            summary: "Sets a password: with the current one and an access token, or with a mailed code.",
            security: .bearerOrCode,
            body: .json("PasswordUpdate"),
            answers: [
                .ok(nil, "It is set.", status: 204), stepUpRequired, .tooManyAttempts,
                .error(400, "invalid_grant: password or code is wrong. invalid_request: the new password is refused."),
                .error(409, "The account has no address yet, or its password was changed meanwhile."),
            ]
        ),
        OpenAPIOperation(
            method: .post,
            path: NativePath.passwordReset,
            id: "requestPasswordReset",
            summary: "Requests a code for POST /v1/password; the response is the same for known and unknown addresses.",
            body: .json("CodeRequest"),
            answers: [
                .ok("CodeAttempt", "If the account exists, a code was sent.", status: 202), .tooManyAttempts,
            ]
        ),
        OpenAPIOperation(
            method: .post,
            path: NativePath.linkEmail,
            id: "requestAddressLink",
            summary: "Requests a code that adds an address to the account.",
            security: .bearer,
            body: .json("LinkRequest"),
            answers: [
                .ok("CodeAttempt", "A code was sent.", status: 202), invalidProof, stepUpRequired, .tooManyAttempts,
                alreadyLinked,
            ]
        ),
        OpenAPIOperation(
            method: .post,
            path: NativePath.linkEmailVerify,
            id: "linkAddress",
            summary: "Adds the address that the code proves.",
            security: .bearer,
            body: .json("LinkRequest"),
            answers: [
                .ok(nil, "It is added.", status: 204), invalidProof, stepUpRequired, .tooManyAttempts, alreadyLinked,
            ]
        ),
        OpenAPIOperation(
            method: .post,
            path: NativePath.linkApple,
            id: "linkApple",
            summary: "Adds Sign in with Apple to the account.",
            security: .bearer,
            body: .json("LinkRequest"),
            answers: [
                .ok(nil, "It is added.", status: 204), invalidProof, stepUpRequired, .tooManyAttempts, alreadyLinked,
                .error(501, "Sign in with Apple is not configured here."),
            ]
        ),
        OpenAPIOperation(
            method: .delete,
            path: NativePath.linkApple,
            id: "unlinkApple",
            summary: "Removes Sign in with Apple from the account. Sessions that it opened stay.",
            security: .bearer,
            answers: [
                .ok(nil, "It is removed.", status: 204), stepUpRequired, .error(404, "No Apple account is linked."),
                .error(409, "The account has no other way to sign in."),
            ]
        ),
    ]

    private static let accountSchemas: [OpenAPISchema] = [
        OpenAPISchema(
            "PasswordUpdate",
            #"""
            {"type":"object","required":["new_password"],"properties":{"new_password":{"type":"string"},
              "current_password":{"type":["string","null"],"description":"Required with an access token, if the account has a password."},
              "attempt":{"type":["string","null"],"description":"From the response of POST /v1/password/reset; no access token is needed then."},
              "code":{"type":["string","null"],"description":"The six digits of the mail."},
              "end_other_sessions":{"type":["boolean","null"],"description":"Default: true with a mailed code, else false."}}}
            """#
        ),
        OpenAPISchema(
            "LinkRequest",
            #"""
            {"type":"object","description":"Each path needs some of the members.","properties":{
              "email":{"type":["string","null"],"description":"For POST /v1/link/email."},
              "attempt":{"type":["string","null"],"description":"For POST /v1/link/email/verify: from the response of POST /v1/link/email."},
              "code":{"type":["string","null"],"description":"For POST /v1/link/email/verify: the six digits of the mail."},
              "identity_token":{"type":["string","null"],"description":"For POST /v1/link/apple."},
              "nonce":{"type":["string","null"],"description":"For POST /v1/link/apple."},
              "current_password":{"type":["string","null"],"description":"Required if the sign-in is too old."}}}
            """#
        ),
    ]

    private static let stepUpRequired = OpenAPIOperation.Response.error(
        403,
        "step_up_required: show the current password, or sign in again."
    )
    private static let invalidProof = OpenAPIOperation.Response.error(
        400,
        "invalid_grant: the code or Apple's token is invalid."
    )
    private static let alreadyLinked = OpenAPIOperation.Response.error(
        409,
        "The account has one already, or it belongs to another account."
    )
}

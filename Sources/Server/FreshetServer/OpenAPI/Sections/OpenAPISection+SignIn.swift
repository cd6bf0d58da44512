// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import HTTPTypes

extension OpenAPISection {
    /// Sign-up, and sign-in with a password or a mailed code.
    static let signIn = OpenAPISection(operations: signInOperations, schemas: signInSchemas)

    private static let signInOperations: [OpenAPIOperation] = [
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
                .error(409, "The address has an account."), .tooManyAttempts,
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
                .tooManyAttempts,
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
                .tooManyAttempts,
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
                .tooManyAttempts,
            ]
        ),
    ]

    private static let signInSchemas: [OpenAPISchema] = [
        OpenAPISchema(
            "Credentials",
            #"""
            {"type":"object","required":["email","password"],"properties":{"email":{"type":"string"},
              "password":{"type":"string"},"device":{"$ref":"#/components/schemas/Device"},
              "known_device":{"type":["string","null"],"description":"The newest refresh token that this device had before."}}}
            """#
        ),
        OpenAPISchema(
            "CodeVerification",
            #"""
            {"type":"object","required":["attempt","code"],"properties":{
              "attempt":{"type":"string","description":"From the response of POST /v1/login/code."},
              "code":{"type":"string","description":"The six digits of the mail."},"device":{"$ref":"#/components/schemas/Device"},
              "intent":{"type":["string","null"],"description":"16 random bytes in base64url, 22 characters; a retry after a lost response sends the same."}}}
            """#
        ),
    ]
}

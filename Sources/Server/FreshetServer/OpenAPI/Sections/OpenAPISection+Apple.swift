// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import HTTPTypes

extension OpenAPISection {
    /// Sign in with Apple, and Apple's notifications.
    static let apple = OpenAPISection(operations: appleOperations, schemas: appleSchemas)

    private static let appleOperations: [OpenAPIOperation] = [
        OpenAPIOperation(
            method: .post,
            path: NativePath.loginAppleNonce,
            id: "requestAppleNonce",
            summary: "A nonce for one sign-in with Apple; the app hands Apple its SHA-256.",
            answers: [.ok("AppleNonce", "Use it once.", status: 201), .tooManyAttempts]
        ),
        OpenAPIOperation(
            method: .post,
            path: NativePath.loginApple,
            id: "signInWithApple",
            summary: "Signs in with Apple's identity token; each is accepted once.",
            body: .json("AppleCredentials"),
            answers: [.ok("Grant", "Signed in."), .tooManyAttempts]
        ),
        OpenAPIOperation(
            method: .post,
            path: NativePath.appleNotifications,
            id: "takeAppleNotice",
            summary: "Receives Apple's signed notifications about accounts.",
            body: .json("AppleNotice"),
            answers: [.ok(nil, "Accepted."), .tooManyAttempts]
        ),
    ]

    private static let appleSchemas: [OpenAPISchema] = [
        OpenAPISchema(
            "AppleNonce",
            #"""
            {"type":"object","required":["nonce","expires_in"],"additionalProperties":false,
              "properties":{"nonce":{"type":"string"},"expires_in":{"type":"integer","minimum":0}}}
            """#
        ),
        OpenAPISchema(
            "AppleCredentials",
            #"""
            {"type":"object","required":["identity_token","nonce"],"properties":{"identity_token":{"type":"string"},
              "nonce":{"type":"string"},"device":{"$ref":"#/components/schemas/Device"},
              "intent":{"type":["string","null"],"description":"16 random bytes in base64url, 22 characters; a retry after a lost response sends the same."},
              "full_name":{"type":["string","null"],"description":"The name that Apple gave the app at the first sign-in."}}}
            """#
        ),
        OpenAPISchema(
            "AppleNotice",
            #"{"type":"object","required":["payload"],"properties":{"payload":{"type":"string","description":"A JWS."}}}"#
        ),
    ]
}

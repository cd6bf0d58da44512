// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import HTTPTypes

extension OpenAPIOperation {
    /// The sign-in methods of an account, and their changes.
    static let signInMethods: [OpenAPIOperation] = apple + passwords + links

    private static let tooManyAttempts = Response.error(429, "Too many attempts; Retry-After gives the time to wait.")
    private static let notFresh = Response.error(403, "step_up_required: show the current password, or sign in again.")

    private static let apple: [OpenAPIOperation] = [
        OpenAPIOperation(
            method: .post,
            path: NativePath.loginAppleNonce,
            id: "requestAppleNonce",
            summary: "A nonce for one sign-in with Apple; the app hands Apple its SHA-256.",
            answers: [.ok("AppleNonce", "Use it once.", status: 201), tooManyAttempts]
        ),
        OpenAPIOperation(
            method: .post,
            path: NativePath.loginApple,
            id: "signInWithApple",
            summary: "Signs in with Apple's identity token; each is accepted once.",
            body: .json("AppleCredentials"),
            answers: [.ok("Grant", "Signed in."), tooManyAttempts]
        ),
        OpenAPIOperation(
            method: .post,
            path: NativePath.appleNotifications,
            id: "takeAppleNotice",
            summary: "Receives Apple's signed notifications about accounts.",
            body: .json("AppleNotice"),
            answers: [.ok(nil, "Accepted."), tooManyAttempts]
        ),
    ]

    private static let passwords: [OpenAPIOperation] = [
        OpenAPIOperation(
            method: .post,
            path: NativePath.password,
            id: "changePassword",
            summary: "Sets a password: with the current one and an access token, or with a mailed code.",
            security: .bearerOrCode,
            body: .json("PasswordUpdate"),
            answers: [
                .ok(nil, "It is set.", status: 204), notFresh, tooManyAttempts,
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
                .ok("CodeAttempt", "If the account exists, a code was sent.", status: 202), tooManyAttempts,
            ]
        ),
    ]

    private static let links: [OpenAPIOperation] = [
        OpenAPIOperation(
            method: .post,
            path: NativePath.linkEmail,
            id: "requestAddressLink",
            summary: "Requests a code that adds an address to the account.",
            security: .bearer,
            body: .json("LinkRequest"),
            answers: [
                .ok("CodeAttempt", "A code was sent.", status: 202), wrong, notFresh, tooManyAttempts, taken,
            ]
        ),
        OpenAPIOperation(
            method: .post,
            path: NativePath.linkEmailVerify,
            id: "linkAddress",
            summary: "Adds the address that the code proves.",
            security: .bearer,
            body: .json("LinkRequest"),
            answers: [.ok(nil, "It is added.", status: 204), wrong, notFresh, tooManyAttempts, taken]
        ),
        OpenAPIOperation(
            method: .post,
            path: NativePath.linkApple,
            id: "linkApple",
            summary: "Adds Sign in with Apple to the account.",
            security: .bearer,
            body: .json("LinkRequest"),
            answers: [
                .ok(nil, "It is added.", status: 204), wrong, notFresh, tooManyAttempts, taken,
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
                .ok(nil, "It is removed.", status: 204), notFresh, .error(404, "No Apple account is linked."),
                .error(409, "The account has no other way to sign in."),
            ]
        ),
    ]

    private static let wrong = Response.error(400, "invalid_grant: the code or Apple's token is invalid.")
    private static let taken = Response.error(409, "The account has one already, or it belongs to another account.")
}

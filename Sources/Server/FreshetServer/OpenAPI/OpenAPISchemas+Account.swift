// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension OpenAPISchemas {
    /// The bodies of sign-in endpoints and of endpoints that change sign-in methods.
    static let account: [(name: String, text: String)] = [
        (
            "AppleNonce",
            #"""
            {"type":"object","required":["nonce","expires_in"],"additionalProperties":false,
              "properties":{"nonce":{"type":"string"},"expires_in":{"type":"integer","minimum":0}}}
            """#
        ),
        (
            "AppleCredentials",
            #"""
            {"type":"object","required":["identity_token","nonce"],"properties":{"identity_token":{"type":"string"},
              "nonce":{"type":"string"},"device":{"$ref":"#/components/schemas/Device"},
              "intent":{"type":["string","null"],"description":"16 random bytes in base64url, 22 characters; a retry after a lost response sends the same."},
              "full_name":{"type":["string","null"],"description":"The name that Apple gave the app at the first sign-in."}}}
            """#
        ),
        (
            "AppleNotice",
            #"{"type":"object","required":["payload"],"properties":{"payload":{"type":"string","description":"A JWS."}}}"#
        ),
        (
            "PasswordUpdate",
            #"""
            {"type":"object","required":["new_password"],"properties":{"new_password":{"type":"string"},
              "current_password":{"type":["string","null"],"description":"Required with an access token, if the account has a password."},
              "attempt":{"type":["string","null"],"description":"From the response of POST /v1/password/reset; no access token is needed then."},
              "code":{"type":["string","null"],"description":"The six digits of the mail."},
              "end_other_sessions":{"type":["boolean","null"],"description":"Default: true with a mailed code, else false."}}}
            """#
        ),
        (
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
}

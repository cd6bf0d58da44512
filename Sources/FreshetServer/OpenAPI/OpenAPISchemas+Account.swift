// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension OpenAPISchemas {
    /// The bodies of ways into an account, and of what changes them.
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
              "intent":{"type":["string","null"],"description":"128 random bits, base64url."}}}
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
              "current_password":{"type":["string","null"]},"attempt":{"type":["string","null"]},
              "code":{"type":["string","null"]},"end_other_sessions":{"type":["boolean","null"]}}}
            """#
        ),
        (
            "LinkRequest",
            #"""
            {"type":"object","properties":{"email":{"type":["string","null"]},"attempt":{"type":["string","null"]},
              "code":{"type":["string","null"]},"identity_token":{"type":["string","null"]},
              "nonce":{"type":["string","null"]},"current_password":{"type":["string","null"]}}}
            """#
        ),
    ]
}

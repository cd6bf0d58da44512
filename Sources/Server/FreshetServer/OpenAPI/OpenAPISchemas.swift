// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

/// The bodies of the native contract as JSON Schema; the types in FreshetWire encode and decode them.
enum OpenAPISchemas {
    /// The schemas by name, as JSON text.
    static let all: [(name: String, text: String)] =
        [
            (
                "Error",
                #"""
                {"type":"object","required":["error"],"properties":{
                  "error":{"type":"string","description":"A stable code."},
                  "error_description":{"type":"string","description":"A text for developers."},
                  "reason":{"type":"string","description":"The reason, if the session has ended: \#(endReasons)."},
                  "request_id":{"type":"string","description":"The id of this request in the server's log."}}}
                """#
            ),
            (
                "Device",
                #"""
                {"type":["object","null"],"properties":{"name":{"type":["string","null"]},"platform":{"type":["string","null"]},
                  "model":{"type":["string","null"]},"app":{"type":["string","null"]},"app_version":{"type":["string","null"]}}}
                """#
            ),
            (
                "Credentials",
                #"""
                {"type":"object","required":["email","password"],"properties":{"email":{"type":"string"},
                  "password":{"type":"string"},"device":{"$ref":"#/components/schemas/Device"},
                  "known_device":{"type":["string","null"],"description":"A refresh token that this device had before."}}}
                """#
            ),
            (
                "CodeRequest",
                #"""
                {"type":"object","required":["email"],"properties":{"email":{"type":"string"},
                  "known_device":{"type":["string","null"],"description":"A refresh token that this device had before."}}}
                """#
            ),
            (
                "CodeAttempt",
                #"""
                {"type":"object","required":["attempt","expires_in"],"additionalProperties":false,
                  "properties":{"attempt":{"type":"string"},"expires_in":{"type":"integer","minimum":0}}}
                """#
            ),
            (
                "CodeVerification",
                #"""
                {"type":"object","required":["attempt","code"],"properties":{
                  "attempt":{"type":"string","description":"From the response of POST /v1/login/code."},
                  "code":{"type":"string","description":"The six digits of the mail."},"device":{"$ref":"#/components/schemas/Device"},
                  "intent":{"type":["string","null"],"description":"16 random bytes in base64url, 22 characters; a retry after a lost response sends the same."}}}
                """#
            ),
            (
                "RefreshRequest",
                #"""
                {"type":"object","required":["refresh_token"],"properties":{"refresh_token":{"type":"string"},
                  "intent":{"type":["string","null"],"description":"16 random bytes in base64url, 22 characters: new for each refresh token, the same for a retry. Only clients of OAuth and of other contracts omit it."}}}
                """#
            ),
            (
                "PresentedToken",
                #"{"type":"object","required":["refresh_token"],"properties":{"refresh_token":{"type":"string"}}}"#
            ),
            (
                "User",
                #"""
                {"type":"object","required":["id"],"additionalProperties":false,
                  "properties":{"id":{"type":"string"},"email":{"type":"string"}}}
                """#
            ),
            (
                "Grant",
                #"""
                {"type":"object","required":["access_token","token_type","expires_in","refresh_token","refresh_expires_in",
                  "session_id","user","server_time"],"properties":{"access_token":{"type":"string"},
                  "token_type":{"const":"Bearer"},"expires_in":{"type":"integer"},"refresh_token":{"type":"string"},
                  "refresh_expires_in":{"type":"integer"},
                  "refresh_after":{"type":"integer","description":"The recommended delay of the next refresh, in seconds."},"session_id":{"type":"string"},
                  "user":{"$ref":"#/components/schemas/User"},"server_time":{"type":"number"},
                  "is_new_user":{"type":"boolean","description":"After a sign-in: whether it is the account's first."},
                  "has_profile":{"type":"boolean","description":"After a sign-in: whether the account has a profile."}}}
                """#
            ),
            (
                "Me",
                #"""
                {"type":"object","required":["user","session_id"],
                  "properties":{"user":{"$ref":"#/components/schemas/User"},"session_id":{"type":"string"}}}
                """#
            ),
            (
                "Profile",
                #"""
                {"type":"object","properties":{
                  "username":{"type":["string","null"],"description":"The name in the app; need not be unique."},
                  "name":{"type":["string","null"],"description":"The full name."}}}
                """#
            ),
            (
                "Session",
                #"""
                {"type":"object","required":["id","current","device","created_at","last_used_at","expires_at"],
                  "properties":{"id":{"type":"string"},"current":{"type":"boolean"},
                  "device":{"$ref":"#/components/schemas/Device"},"created_at":{"type":"number"},
                  "last_used_at":{"type":"number"},"expires_at":{"type":"number"},"place":{"type":"string"},
                  "signed_in_by":{"type":"string"}}}
                """#
            ),
            (
                "SessionList",
                #"""
                {"type":"object","required":["sessions"],
                  "properties":{"sessions":{"type":"array","items":{"$ref":"#/components/schemas/Session"}}}}
                """#
            ),
            ("Status", #"{"type":"object","required":["status"],"properties":{"status":{"const":"ok"}}}"#),
        ] + account + oauth

    /// The values of `reason`; not an `enum`, since a newer server on the same database may add values.
    static let endReasons = EndReason.allCases.map(\.rawValue).joined(separator: ", ") + ", or one of a newer version"
}

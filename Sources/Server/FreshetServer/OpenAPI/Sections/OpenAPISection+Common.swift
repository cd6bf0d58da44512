// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension OpenAPISection {
    /// The schemas that several sections use.
    static let common = OpenAPISection(operations: [], schemas: commonSchemas)

    private static let commonSchemas: [OpenAPISchema] = [
        OpenAPISchema(
            "Error",
            #"""
            {"type":"object","required":["error"],"properties":{
              "error":{"type":"string","description":"A stable code."},
              "error_description":{"type":"string","description":"A text for developers."},
              "reason":{"type":"string","description":"The reason, if the session has ended: \#(OpenAPISchema.endReasons)."},
              "request_id":{"type":"string","description":"The id of this request in the server's log."}}}
            """#
        ),
        OpenAPISchema(
            "Device",
            #"""
            {"type":["object","null"],"properties":{"name":{"type":["string","null"]},"platform":{"type":["string","null"]},
              "model":{"type":["string","null"]},"app":{"type":["string","null"]},"app_version":{"type":["string","null"]}}}
            """#
        ),
        OpenAPISchema(
            "CodeRequest",
            #"""
            {"type":"object","required":["email"],"properties":{"email":{"type":"string"},
              "known_device":{"type":["string","null"],"description":"The newest refresh token that this device had before."}}}
            """#
        ),
        OpenAPISchema(
            "CodeAttempt",
            #"""
            {"type":"object","required":["attempt","expires_in"],"additionalProperties":false,
              "properties":{"attempt":{"type":"string"},"expires_in":{"type":"integer","minimum":0}}}
            """#
        ),
        OpenAPISchema(
            "User",
            #"""
            {"type":"object","required":["id"],"additionalProperties":false,
              "properties":{"id":{"type":"string"},"email":{"type":"string"}}}
            """#
        ),
        OpenAPISchema(
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
    ]
}

extension OpenAPIOperation.Response {
    static let tooManyAttempts = Self.error(429, "Too many attempts; Retry-After gives the time to wait.")
    static let superseded = Self.error(409, "A newer refresh token of this session is in use; the session goes on.")
}

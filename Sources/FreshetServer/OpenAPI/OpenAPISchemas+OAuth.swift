// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension OpenAPISchemas {
    /// What the standards say of the endpoints for OAuth libraries and resource servers.
    static let oauth: [(name: String, text: String)] = [
        (
            "TokenForm",
            #"""
            {"type":"object","required":["grant_type","refresh_token"],"properties":{"grant_type":{"const":"refresh_token"},
              "refresh_token":{"type":"string"},"scope":{"type":"string"},"client_id":{"type":"string"},
              "client_secret":{"type":"string"}}}
            """#
        ),
        (
            "TokenAnswer",
            #"""
            {"type":"object","required":["access_token","token_type","expires_in","refresh_token"],
              "additionalProperties":false,"properties":{"access_token":{"type":"string"},"token_type":{"const":"Bearer"},
              "expires_in":{"type":"integer","minimum":0},"refresh_token":{"type":"string"}}}
            """#
        ),
        (
            "GivenToken",
            #"""
            {"type":"object","required":["token"],"properties":{"token":{"type":"string"},
              "token_type_hint":{"type":"string"},"client_id":{"type":"string"},"client_secret":{"type":"string"}}}
            """#
        ),
        (
            "Introspection",
            #"""
            {"type":"object","required":["active"],"additionalProperties":false,"properties":{"active":{"type":"boolean"},
              "token_type":{"type":"string"},"iss":{"type":"string"},"aud":{"type":"string"},"sub":{"type":"string"},
              "sid":{"type":"string"},"client_id":{"type":"string"},"exp":{"type":"integer"},"iat":{"type":"integer"}}}
            """#
        ),
        (
            "Metadata",
            #"""
            {"type":"object","required":["issuer","token_endpoint","jwks_uri","response_types_supported"],
              "properties":{"issuer":{"type":"string"},"token_endpoint":{"type":"string"},"jwks_uri":{"type":"string"},
              "response_types_supported":{"type":"array","maxItems":0}}}
            """#
        ),
        (
            "KeySet",
            #"""
            {"type":"object","required":["keys"],"properties":{"keys":{"type":"array","minItems":1,"items":{"type":"object",
              "required":["kty","crv","use","alg","kid","x","y"],"additionalProperties":false,
              "properties":{"kty":{"const":"EC"},"crv":{"const":"P-256"},"use":{"const":"sig"},"alg":{"const":"ES256"},
              "kid":{"type":"string"},"x":{"type":"string"},"y":{"type":"string"}}}}}}
            """#
        ),
        (
            "OpenAPI",
            #"{"type":"object","required":["openapi","info","paths"],"properties":{"openapi":{"const":"3.1.0"}}}"#
        ),
    ]
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import HTTPTypes

extension OpenAPISection {
    /// The standard endpoints for OAuth libraries and resource servers.
    static let oauth = OpenAPISection(operations: oauthOperations, schemas: oauthSchemas)

    private static let oauthOperations: [OpenAPIOperation] = [
        OpenAPIOperation(
            method: .post,
            path: NativePath.oauthToken,
            id: "oauthToken",
            summary: "The refresh_token grant (RFC 6749 section 6).",
            security: .client(isRequired: false),
            body: .form("TokenForm"),
            answers: [.ok("TokenAnswer", "New tokens."), .superseded]
        ),
        OpenAPIOperation(
            method: .post,
            path: NativePath.oauthRevoke,
            id: "oauthRevoke",
            summary: "Ends the session of a token (RFC 7009).",
            security: .client(isRequired: false),
            body: .form("GivenToken"),
            answers: [.ok(nil, "The session has ended, or the token was unknown.")]
        ),
        OpenAPIOperation(
            method: .post,
            path: NativePath.oauthIntrospect,
            id: "oauthIntrospect",
            summary: "Introspects a token (RFC 7662); for confidential clients.",
            security: .client(isRequired: true),
            body: .form("GivenToken"),
            answers: [.ok("Introspection", "The token's claims, or `active: false`.")]
        ),
        OpenAPIOperation(
            method: .get,
            path: NativePath.keySet,
            id: "keys",
            summary: "The public keys of access tokens (RFC 7517).",
            answers: [.ok("KeySet", "As it is now.")]
        ),
        OpenAPIOperation(
            method: .get,
            path: NativePath.metadata,
            id: "metadata",
            summary: "The authorization server's metadata (RFC 8414).",
            answers: [.ok("Metadata", "As it is now.")]
        ),
    ]

    private static let oauthSchemas: [OpenAPISchema] = [
        OpenAPISchema(
            "TokenForm",
            #"""
            {"type":"object","required":["grant_type","refresh_token"],"properties":{"grant_type":{"const":"refresh_token"},
              "refresh_token":{"type":"string"},"scope":{"type":"string"},"client_id":{"type":"string"},
              "client_secret":{"type":"string"}}}
            """#
        ),
        OpenAPISchema(
            "TokenAnswer",
            #"""
            {"type":"object","required":["access_token","token_type","expires_in","refresh_token"],
              "additionalProperties":false,"properties":{"access_token":{"type":"string"},"token_type":{"const":"Bearer"},
              "expires_in":{"type":"integer","minimum":0},"refresh_token":{"type":"string"}}}
            """#
        ),
        OpenAPISchema(
            "GivenToken",
            #"""
            {"type":"object","required":["token"],"properties":{"token":{"type":"string"},
              "token_type_hint":{"type":"string"},"client_id":{"type":"string"},"client_secret":{"type":"string"}}}
            """#
        ),
        OpenAPISchema(
            "Introspection",
            #"""
            {"type":"object","required":["active"],"additionalProperties":false,"properties":{"active":{"type":"boolean"},
              "token_type":{"type":"string"},"iss":{"type":"string"},"aud":{"type":"string"},"sub":{"type":"string"},
              "sid":{"type":"string"},"client_id":{"type":"string"},"exp":{"type":"integer"},"iat":{"type":"integer"}}}
            """#
        ),
        OpenAPISchema(
            "KeySet",
            #"""
            {"type":"object","required":["keys"],"properties":{"keys":{"type":"array","minItems":1,"items":{"type":"object",
              "required":["kty","crv","use","alg","kid","x","y"],"additionalProperties":false,
              "properties":{"kty":{"const":"EC"},"crv":{"const":"P-256"},"use":{"const":"sig"},"alg":{"const":"ES256"},
              "kid":{"type":"string"},"x":{"type":"string"},"y":{"type":"string"}}}}}}
            """#
        ),
        OpenAPISchema(
            "Metadata",
            #"""
            {"type":"object","required":["issuer","token_endpoint","jwks_uri","response_types_supported"],
              "properties":{"issuer":{"type":"string"},"token_endpoint":{"type":"string"},"jwks_uri":{"type":"string"},
              "response_types_supported":{"type":"array","maxItems":0}}}
            """#
        ),
    ]
}

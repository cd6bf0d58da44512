// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetHTTP
import FreshetIdentity
import FreshetWire
import Hummingbird

/// The authorization server metadata (RFC 8414).
struct MetadataRoutes: Sendable {
    private let metadata: Metadata

    init(issuer: String, registry: ClientRegistry?) {
        metadata = Metadata(issuer: issuer, registry: registry)
    }

    func add(to table: inout RouteTable) {
        table.on(.get, NativePath.metadata) { [metadata] _, _ in
            var response = Response.json(metadata)
            response.headers[.cacheControl] = "public, max-age=300"
            return response
        }
    }

    /// The response of section 2.
    struct Metadata: Encodable, Equatable {
        /// The issuer, identical byte by byte to the `iss` of tokens.
        var issuer: String
        var tokenEndpoint: String
        var revocationEndpoint: String
        var introspectionEndpoint: String?
        var jwksURI: String
        /// The response types: none, because there is no authorization endpoint.
        var responseTypesSupported: [String] = []
        var grantTypesSupported = ["refresh_token"]
        var tokenEndpointAuthMethodsSupported: [String]
        var revocationEndpointAuthMethodsSupported: [String]
        var introspectionEndpointAuthMethodsSupported: [String]?

        init(issuer: String, registry: ClientRegistry?) {
            func address(_ path: String) -> String {
                (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + path
            }
            let proofs = ["client_secret_basic", "client_secret_post"]
            let hasConfidential = registry?.hasConfidential == true
            self.issuer = issuer
            tokenEndpoint = address(NativePath.oauthToken)
            revocationEndpoint = address(NativePath.oauthRevoke)
            jwksURI = address(NativePath.keySet)
            tokenEndpointAuthMethodsSupported = hasConfidential ? ["none"] + proofs : ["none"]
            revocationEndpointAuthMethodsSupported = tokenEndpointAuthMethodsSupported
            if hasConfidential {
                introspectionEndpoint = address(NativePath.oauthIntrospect)
                introspectionEndpointAuthMethodsSupported = proofs
            }
        }

        private enum CodingKeys: String, CodingKey {
            case issuer
            case tokenEndpoint = "token_endpoint"
            case revocationEndpoint = "revocation_endpoint"
            case introspectionEndpoint = "introspection_endpoint"
            case jwksURI = "jwks_uri"
            case responseTypesSupported = "response_types_supported"
            case grantTypesSupported = "grant_types_supported"
            case tokenEndpointAuthMethodsSupported = "token_endpoint_auth_methods_supported"
            case revocationEndpointAuthMethodsSupported = "revocation_endpoint_auth_methods_supported"
            case introspectionEndpointAuthMethodsSupported = "introspection_endpoint_auth_methods_supported"
        }
    }
}

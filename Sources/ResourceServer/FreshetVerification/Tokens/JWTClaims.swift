// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Verification
    package import FreshetContract
    import FreshetWire

    /// The claims of a JWT, parsed strictly (RFC 7519 section 4.1).
    ///
    /// Each claim is checked when a verifier reads it, so the reported error is the first one in the verifier's order
    /// of checks.
    package struct JWTClaims: Sendable {
        /// All claims.
        package let object: JSONObject

        /// Parses a payload.
        ///
        /// - Throws: `malformed` if it is not a strict JSON object.
        package init(_ payload: [UInt8]) throws(TokenVerificationError) {
            guard let object = CompactJWS.object(payload) else { throw .malformed }
            self.object = object
        }

        package subscript(name: String) -> JSONValue? { object[name] }

        /// Checks `iss`, byte by byte.
        package func requireIssuer(_ issuer: String) throws(TokenVerificationError) {
            guard let claim = object["iss"]?.string, claim.hasSameBytes(as: issuer) else { throw .issuer }
        }

        /// Returns `aud`, which must include one of `accepted` and contain only strings.
        package func audiences(including accepted: some Collection<String>) throws(TokenVerificationError) -> [String] {
            let audiences: [String]
            switch object["aud"] {
            case .string(let text)?: audiences = [text]
            case .array(let items)?:
                audiences = items.compactMap(\.string)
                guard audiences.count == items.count else { throw .audience }
            default: throw .audience
            }
            let isAccepted = audiences.contains { audience in accepted.contains { $0.hasSameBytes(as: audience) } }
            guard isAccepted else { throw .audience }
            return audiences
        }

        /// Returns a NumericDate, in seconds since 1970; `nil` if the claim is absent.
        ///
        /// - Throws: `claims` if the value is a string or not finite.
        package func time(_ name: String) throws(TokenVerificationError) -> Double? {
            guard let value = object[name] else { return nil }
            guard case .number(let number) = value, let seconds = number.double else { throw .claims }
            return seconds
        }
    }
#endif

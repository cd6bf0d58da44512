// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Verification
    package import FreshetContract
    import FreshetWire

    /// A parsed but unverified JWS in compact serialization (RFC 7515).
    ///
    /// It is parsed from bytes, once and strictly: a text that parsers could interpret differently is refused.
    package struct CompactJWS: Sendable, Masked {
        package let header: JSONObject
        package let algorithm: String
        package let keyID: String
        package let payload: [UInt8]
        package let signature: [UInt8]
        /// The bytes that the signature covers.
        package let signed: ArraySlice<UInt8>

        package var mask: String { "CompactJWS(•••)" }

        /// Parses a token.
        ///
        /// - Parameters:
        ///   - text: The token.
        ///   - limit: The maximum length in bytes; a longer token is not parsed.
        /// - Throws: The first error of its format.
        package init(_ text: String, limit: Int) throws(TokenVerificationError) {
            guard text.utf8.count <= limit else { throw .tooLarge }
            let bytes = Array(text.utf8)
            let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
            guard parts.count == 3,
                let first = Base64URL.decode(String(decoding: parts[0], as: UTF8.self)),
                let payload = Base64URL.decode(String(decoding: parts[1], as: UTF8.self)),
                let signature = Base64URL.decode(String(decoding: parts[2], as: UTF8.self)),
                let header = Self.object(first)
            else { throw .malformed }
            try Self.refuseExtensions(header)
            guard let algorithm = header["alg"]?.string else { throw .algorithm }
            guard let keyID = header["kid"]?.string else { throw .unknownKey }
            self.header = header
            self.algorithm = algorithm
            self.keyID = keyID
            self.payload = payload
            self.signature = signature
            signed = bytes[..<parts[1].endIndex]
        }

        /// Parses a JSON object strictly.
        package static func object(_ bytes: [UInt8]) -> JSONObject? {
            (try? JSONParser.parseStrictly(bytes))?.object
        }

        /// Refuses header parameters that change the meaning of the rest: no extensions are supported.
        ///
        /// Parameters that locate a key (`jwk`, `jku`, `x5c` ...) do not change it; they are ignored and never followed.
        private static func refuseExtensions(_ header: JSONObject) throws(TokenVerificationError) {
            guard header["crit"] == nil, header["zip"] == nil, header["enc"] == nil else { throw .critical }
            guard header["b64"].map({ $0.bool == true }) ?? true else { throw .critical }
        }
    }
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Verification
    /// The response to a request for a key set.
    package struct JWKSetResponse: Sendable {
        package var body: [UInt8]
        /// The `max-age` of the response in seconds, if it has one (RFC 9111 section 5.2.2.1).
        package var maximumAge: Double?

        package init(body: [UInt8], maximumAge: Double? = nil) {
            self.body = body
            self.maximumAge = maximumAge
        }

        /// Returns the `max-age` of a Cache-Control header field.
        ///
        /// - Returns: The age in seconds: 0 if the response must not be cached, `nil` without a `max-age`.
        package static func maximumAge(cacheControl: String?) -> Double? {
            let fields = cacheControl?.lowercased().unicodeScalars.split(separator: ",") ?? []
            let directives = fields.map { String(String.UnicodeScalarView($0.filter { $0 != " " })) }
            if directives.contains("no-store") || directives.contains("no-cache") { return 0 }
            guard let directive = directives.first(where: { $0.hasPrefix("max-age=") }) else { return nil }
            // RFC 9111 section 1.2.2: digits. `Double` also accepts a NaN, which no limit bounds.
            let age = directive.dropFirst("max-age=".count)
            return age.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Double(age) : nil
        }
    }
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// What came from the address of a key set.
package struct JWKSetResponse: Sendable {
    package var body: [UInt8]
    /// How long it may be kept, if the answer said so (RFC 9111 section 5.2.2.1), in seconds.
    package var maximumAge: Double?

    package init(body: [UInt8], maximumAge: Double? = nil) {
        self.body = body
        self.maximumAge = maximumAge
    }

    /// The `max-age` of a Cache-Control field.
    ///
    /// - Returns: 0 for what must not be kept, and `nil` if it does not say.
    package static func maximumAge(cacheControl: String?) -> Double? {
        let directives = cacheControl?.lowercased().split(separator: ",").map { $0.filter { $0 != " " } } ?? []
        if directives.contains("no-store") || directives.contains("no-cache") { return 0 }
        return directives.first { $0.hasPrefix("max-age=") }.flatMap { Double($0.dropFirst("max-age=".count)) }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
package import HTTPTypes

/// The access token of a request, in the `Authorization` header field (RFC 6750 section 2.1).
package enum BearerCredentials: Equatable, Sendable, Masked {
    /// The request has no token.
    case absent
    case token(String)
    /// There are several tokens, or one in the URL, which is logged.
    case misplaced

    package var mask: String {
        switch self {
        case .absent: "absent"
        case .token: "•••"
        case .misplaced: "misplaced"
        }
    }

    /// Reads the token of a request.
    ///
    /// - Parameters:
    ///   - fields: The header fields of the request.
    ///   - query: The query of its URL. URLs are logged, so a token there is an error.
    package init(fields: HTTPFields, query: Substring = "") {
        let isInQuery = query.split(separator: "&").contains { $0.prefix { $0 != "=" } == "access_token" }
        let values = fields[values: .authorization]
        guard !isInQuery, values.count <= 1 else {
            self = .misplaced
            return
        }
        let parts = values.first?.split(separator: " ", maxSplits: 1) ?? []
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            self = .absent
            return
        }
        self = .token(String(parts[1]))
    }
}

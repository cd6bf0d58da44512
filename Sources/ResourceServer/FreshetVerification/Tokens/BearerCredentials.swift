// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
package import HTTPTypes

/// The access token of a request, as RFC 6750 section 2.1 sends it.
package enum BearerCredentials: Equatable, Sendable, Masked {
    /// There is none.
    case absent
    case token(String)
    /// It stands in more than one place, or where everybody may read it.
    case misplaced

    package var mask: String {
        switch self {
        case .absent: "absent"
        case .token: "•••"
        case .misplaced: "misplaced"
        }
    }

    /// Looks for a token.
    ///
    /// - Parameters:
    ///   - fields: The request's header.
    ///   - query: The part of its address after the question mark: addresses end up in logs, so a token there is an error.
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

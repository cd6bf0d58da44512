// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Verification
    /// The access token of a request, in the `Authorization` header field (RFC 6750 section 2.1).
    public enum BearerCredentials: Equatable, Sendable {
        /// The request has no token.
        case absent
        /// The request has one token.
        case token(String)
        /// The request has several tokens, or one in the URL, which is logged.
        case misplaced

        /// Reads the token of a request.
        ///
        /// - Parameters:
        ///   - values: The values of all `Authorization` header fields of the request.
        ///   - query: The query of its URL. A token in the query is an error, because URLs are logged.
        public init(authorization values: [String], query: Substring = "") {
            let isInQuery = query.unicodeScalars.split(separator: "&").contains {
                $0.prefix { $0 != "=" }.elementsEqual("access_token".unicodeScalars)
            }
            guard !isInQuery, values.count <= 1 else {
                self = .misplaced
                return
            }
            let parts = values.first?.unicodeScalars.split(separator: " ", maxSplits: 1).map(String.init) ?? []
            guard parts.count == 2, parts[0].lowercased() == "bearer" else {
                self = .absent
                return
            }
            self = .token(parts[1])
        }
    }

    extension BearerCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// The name of the case, without the token.
        public var description: String {
            switch self {
            case .absent: "absent"
            case .token: "•••"
            case .misplaced: "misplaced"
            }
        }
        /// The same as ``description``.
        public var debugDescription: String { description }
        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: EmptyCollection(), displayStyle: .enum) }
    }
#endif

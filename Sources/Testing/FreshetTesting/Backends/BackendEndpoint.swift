// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A part of a backend's double, by what it is for; which path that is differs from app to app.
public enum BackendEndpoint: Sendable, Hashable {
    /// Where a code by e-mail is asked for.
    case code
    /// Where a sign-in is granted.
    case login
    /// Where the session is refreshed.
    case refresh
    /// Where one session or all of a user's sessions end.
    case logout
    /// Where bitbasel's app opens its socket.
    case socket
    /// All other paths: what the app is there for.
    case api
    /// The other origin, to which ``BackendFault/redirect(to:)`` leads.
    case elsewhere
    /// One path, or all that begin as the text before a `*`.
    case path(String)

    private static let named: [String: BackendEndpoint] = [
        "code": .code, "login": .login, "refresh": .refresh, "logout": .logout, "socket": .socket, "api": .api,
        "elsewhere": .elsewhere,
    ]

    /// An endpoint by its name, or by its path, which begins with a slash.
    public init?(text: String) {
        if let endpoint = Self.named[text] {
            self = endpoint
        } else if text.hasPrefix("/") {
            self = .path(text)
        } else {
            return nil
        }
    }

    /// Whether a request to `path`, which belongs to `endpoint`, is meant.
    func matches(_ path: String, of endpoint: BackendEndpoint) -> Bool {
        guard case .path(let pattern) = self else { return self == endpoint }
        return pattern.hasSuffix("*") ? path.hasPrefix(pattern.dropLast()) : path == pattern
    }
}

extension BackendEndpoint: ExpressibleByStringLiteral {
    /// An endpoint by its name or its path.
    public init(stringLiteral text: String) { self = BackendEndpoint(text: text) ?? .path(text) }
}

extension BackendEndpoint: CustomStringConvertible {
    /// The name or the path.
    public var description: String {
        if case .path(let path) = self { return path }
        return Self.named.first { $0.value == self }?.key ?? ""
    }
}

extension BackendEndpoint: Codable {
    /// Reads a name or a path.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let endpoint = BackendEndpoint(text: text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription:
                    "\"\(text)\" is no endpoint: \(Self.named.keys.sorted().joined(separator: ", ")) or a path"
            )
        }
        self = endpoint
    }

    /// Writes the name or the path.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// An endpoint of a fake backend, by its purpose; its path depends on the contract.
public enum BackendEndpoint: Sendable, Hashable {
    /// The endpoint that sends a code by e-mail.
    case code
    /// The endpoint that grants a sign-in.
    case login
    /// The endpoint that refreshes a session.
    case refresh
    /// The endpoints that end one session or all sessions of a user.
    case logout
    /// The endpoint of the WebSocket.
    case socket
    /// The API of the app.
    case api
    /// The other origin, the target of ``BackendFault/redirect(to:)``.
    case elsewhere
    /// One path, or all paths with the prefix before a `*`.
    case path(String)

    private static let named: [String: BackendEndpoint] = [
        "code": .code, "login": .login, "refresh": .refresh, "logout": .logout, "socket": .socket, "api": .api,
        "elsewhere": .elsewhere,
    ]

    /// Creates an endpoint from its name, or from its path, which begins with a slash.
    public init?(text: String) {
        if let endpoint = Self.named[text] {
            self = endpoint
        } else if text.hasPrefix("/") {
            self = .path(text)
        } else {
            return nil
        }
    }

    /// Whether this endpoint includes a request to `path`, which belongs to `endpoint`.
    func matches(_ path: String, of endpoint: BackendEndpoint) -> Bool {
        guard case .path(let pattern) = self else { return self == endpoint }
        return pattern.hasSuffix("*") ? path.hasPrefix(pattern.dropLast()) : path == pattern
    }
}

extension BackendEndpoint: ExpressibleByStringLiteral {
    /// Creates an endpoint from its name or its path.
    public init(stringLiteral text: String) { self = BackendEndpoint(text: text) ?? .path(text) }
}

extension BackendEndpoint: CustomStringConvertible {
    /// The name or the path of the endpoint.
    public var description: String {
        if case .path(let path) = self { return path }
        return Self.named.first { $0.value == self }?.key ?? ""
    }
}

extension BackendEndpoint: Codable {
    /// Decodes a name or a path.
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

    /// Encodes the name or the path.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

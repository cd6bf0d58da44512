// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Where a socket is, and how it shows its token.
struct SocketRequest: Sendable {
    /// With the scheme `ws` or `wss`, and without a token.
    let url: URL
    let origin: Origin
    /// `nil` for the way that requests of the app show theirs.
    private let shape: SocketDefinition?
    private let attachment: RequestAuthorization
    /// What the contract's own variables and secrets stand for.
    private let values: TemplateValues
    private let protocols: [String]

    /// What a handshake needs, and what is said first.
    struct Opening: Sendable {
        var request: URLRequest
        var protocols: [String]
        var firstMessage: WebSocketMessage?
    }

    /// Without a URL it is the contract's own socket.
    ///
    /// - Throws: ``SessionError/contractFault(_:)`` if there is none, or if the token would go where it must not.
    init(
        _ url: URL?,
        contract: Contract,
        baseURL: URL,
        values: TemplateValues,
        origins: Set<Origin>,
        protocols: [String]
    ) throws(SessionError) {
        let shape = contract.document.socket
        let wanted = if let url { url } else { try Self.url(of: shape, contract, baseURL, values) }
        guard var parts = URLComponents(url: wanted.absoluteURL, resolvingAgainstBaseURL: true),
            let schemes = [
                "ws": ("ws", "http"), "http": ("ws", "http"), "wss": ("wss", "https"), "https": ("wss", "https"),
            ][
                parts.scheme?.lowercased() ?? ""
            ]
        else { throw .contractFault("the socket's URL is no ws or wss URL") }
        // A fragment never goes to a server (RFC 6455 section 3).
        parts.fragment = nil
        parts.scheme = schemes.1
        guard let origin = Origin(parts.url) else { throw .contractFault("the socket's URL is no ws or wss URL") }
        guard origins.contains(origin) else {
            throw .contractFault("a socket at \(origin) must not see the access token; see 'additionalHosts'")
        }
        parts.scheme = schemes.0
        guard let url = parts.url else { throw .contractFault("the socket's URL is no ws or wss URL") }
        self.url = url
        self.origin = origin
        self.shape = shape
        self.values = values
        self.protocols = protocols
        attachment = contract.document.requestAuthorization
    }

    private static func url(
        of shape: SocketDefinition?,
        _ contract: Contract,
        _ baseURL: URL,
        _ values: TemplateValues
    ) throws(SessionError) -> URL {
        guard let shape else { throw .contractFault("the contract '\(contract.name)' has no socket: name its URL") }
        let base = baseURL.absoluteString
        let path: String
        do throws(MissingValue) { path = try shape.path.text(values) ?? "" } catch {
            throw .contractFault("there is no value for '\(error.name)'")
        }
        guard let url = URL(string: (base.hasSuffix("/") ? String(base.dropLast()) : base) + path) else {
            throw .contractFault("the base URL and '\(path)' make no URL")
        }
        return url
    }

    /// The handshake that shows a token.
    func opening(with token: AccessToken) throws(ContractFault) -> Opening {
        var opening = Opening(request: URLRequest(url: url), protocols: protocols)
        let values = self.values(with: token)
        do throws(MissingValue) {
            switch shape?.token {
            case .query(let name):
                opening.request.url = self.url(with: URLEncodedForm.encode([(name: name, value: token.value)]))
            case .header(let name, let scheme):
                let value = scheme.isEmpty ? token.value : "\(scheme) \(token.value)"
                opening.request.setHeader(value, for: name)
            case .subprotocol(let template):
                // The one with the token comes last: a server that knows none of them takes the first it likes.
                if let text = try template.text(values) { opening.protocols.append(text) }
            case .message(let template):
                opening.firstMessage = try template.value(values).map { .text($0.jsonText) }
            case nil:
                try attachment.attach(token.value, self.values, to: &opening.request)
            }
        } catch {
            throw ContractFault("there is no value for '\(error.name)'")
        }
        guard opening.protocols.allSatisfy(Self.isSubprotocol) else {
            throw ContractFault("a subprotocol has characters that no subprotocol may have")
        }
        return opening
    }

    /// A subprotocol is a token in HTTP's sense (RFC 6455 section 4.1, RFC 9110 section 5.6.2).
    private static func isSubprotocol(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !#"(),/:;<=>?@[\]{}""#.utf8.contains($0) }
    }

    /// The message that brings a new token over an open connection, where the contract knows one.
    func renewal(with token: AccessToken) -> WebSocketMessage? {
        guard case .message(let template) = shape?.renewal else { return nil }
        return (try? template.value(values(with: token)))?.map { .text($0.jsonText) }
    }

    private func values(with token: AccessToken) -> TemplateValues {
        values.merging(TemplateValues(texts: ["access_token": token.value]))
    }

    private func url(with query: String) -> URL? {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else { return nil }
        parts.percentEncodedQuery = parts.percentEncodedQuery.map { "\($0)&\(query)" } ?? query
        return parts.url
    }
}

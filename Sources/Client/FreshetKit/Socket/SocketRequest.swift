// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The URL of a socket, and how its token is presented.
struct SocketRequest: Sendable {
    /// The URL with the scheme `ws` or `wss`, without a token.
    let url: URL
    let origin: Origin
    /// The contract's socket; `nil` to attach the token to the handshake like to the app's requests.
    private let shape: SocketDefinition?
    private let attachment: RequestAuthorization
    /// The values of the contract's own variables and secrets.
    private let values: TemplateValues
    private let protocols: [String]

    /// The handshake request, and the first message after it.
    struct Handshake: Sendable {
        var request: URLRequest
        var protocols: [String]
        var firstMessage: WebSocketMessage?
    }

    /// Creates the request for a URL, or for the contract's own socket without one.
    ///
    /// - Throws: ``SessionError/unsupported(_:)`` if the contract has no socket;
    ///   ``SessionError/misconfigured(_:)`` if the URL must not receive the token, or a value is missing.
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
        else { throw .misconfigured("the socket's URL is not a ws or wss URL") }
        // A fragment is never sent to a server (RFC 6455 section 3).
        parts.fragment = nil
        parts.scheme = schemes.1
        guard let origin = Origin(parts.url) else { throw .misconfigured("the socket's URL is not a ws or wss URL") }
        guard origins.contains(origin) else {
            throw .misconfigured("a socket at \(origin) must not receive the access token; see 'additionalHosts'")
        }
        parts.scheme = schemes.0
        guard let url = parts.url else { throw .misconfigured("the socket's URL is not a ws or wss URL") }
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
        guard let shape else { throw .unsupported(.socket(contract: contract.name)) }
        let base = baseURL.absoluteString
        let path: String
        do throws(MissingValue) { path = try shape.path.text(values) ?? "" } catch {
            throw .misconfigured("there is no value for '\(error.name)'")
        }
        guard let url = URL(string: (base.hasSuffix("/") ? String(base.dropLast()) : base) + path) else {
            throw .misconfigured("the base URL and '\(path)' do not form a URL")
        }
        return url
    }

    /// Returns the handshake with a token.
    func handshake(with token: AccessToken) throws(ContractFault) -> Handshake {
        var handshake = Handshake(request: URLRequest(url: url), protocols: protocols)
        let values = self.values(with: token)
        do throws(MissingValue) {
            switch shape?.token {
            case .query(let name):
                handshake.request.url = self.url(with: URLEncodedForm.encode([(name: name, value: token.value)]))
            case .header(let name, let scheme):
                let value = scheme.isEmpty ? token.value : "\(scheme) \(token.value)"
                handshake.request.setHeader(value, for: name)
            case .subprotocol(let template):
                // The protocol with the token comes last: a server without support for it may select the first one.
                if let text = try template.text(values) { handshake.protocols.append(text) }
            case .message(let template):
                handshake.firstMessage = try template.value(values).map { .text($0.jsonText) }
            case nil:
                try attachment.attach(token.value, self.values, to: &handshake.request)
            }
        } catch {
            throw ContractFault("there is no value for '\(error.name)'")
        }
        guard handshake.protocols.allSatisfy(Self.isSubprotocol) else {
            throw ContractFault("a subprotocol has characters that are not allowed")
        }
        return handshake
    }

    /// Whether a text is a valid subprotocol, an HTTP token (RFC 6455 section 4.1, RFC 9110 section 5.6.2).
    private static func isSubprotocol(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !#"(),/:;<=>?@[\]{}""#.utf8.contains($0) }
    }

    /// Returns the message that sends a new token over an open connection; `nil` if the contract has none.
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

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
import FreshetContract
import FreshetWire

/// The OAuth clients registered with a server, from a file.
///
///     {"clients": [
///         {"id": "web", "kind": "confidential", "secret": "sha256:…"},
///         {"id": "phone", "kind": "public"}
///     ]}
package struct ClientRegistry: Sendable {
    static let maximumClients = 1000
    /// The accepted characters of client IDs.
    ///
    /// RFC 6749 appendix A.1 allows more; these need no escaping in a log, a form or a token.
    private static let idCharacters = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8
    )

    private let clients: [String: OAuthClient]

    /// An error in a registry file; the description names its place.
    package struct ParseError: Error, Equatable, CustomStringConvertible {
        package var description: String
    }

    init(_ clients: [OAuthClient]) {
        self.clients = Dictionary(clients.map { ($0.id, $0) }) { first, _ in first }
    }

    /// Parses a file strictly: a misspelt member must not be mistaken for an absent one.
    package init(json: Data) throws(ParseError) {
        let value: JSONValue
        do { value = try JSONParser.parseStrictly(json) } catch { throw ParseError(description: "\(error)") }
        guard let root = value.object, root.names == ["clients"], let items = root["clients"]?.array else {
            throw ParseError(description: #"it is one object with one member, "clients": [...]"#)
        }
        guard items.count <= Self.maximumClients else {
            throw ParseError(description: "there are more than \(Self.maximumClients) clients")
        }
        var clients: [String: OAuthClient] = [:]
        for (index, item) in items.enumerated() {
            let client = try Self.client(item, "client \(index + 1)")
            guard clients.updateValue(client, forKey: client.id) == nil else {
                throw ParseError(description: "the id '\(client.id)' stands twice")
            }
        }
        self.clients = clients
    }

    subscript(id: String) -> OAuthClient? { clients[id] }

    package var hasConfidential: Bool { clients.values.contains { $0.kind == .confidential } }

    private static func client(_ item: JSONValue, _ place: String) throws(ParseError) -> OAuthClient {
        guard let object = item.object else { throw ParseError(description: "\(place) is no object") }
        let unknown = object.names.filter { !["id", "kind", "secret"].contains($0) }
        guard unknown.isEmpty else {
            throw ParseError(description: "\(place): '\(unknown[0].prefix(64))' is not a known member")
        }
        guard let id = object["id"]?.string, (1...100).contains(id.utf8.count),
            id.utf8.allSatisfy(idCharacters.contains)
        else {
            throw ParseError(description: "\(place): an id is 1 to 100 letters, digits and -._~")
        }
        guard let kind = object["kind"]?.string.flatMap(OAuthClient.Kind.init) else {
            throw ParseError(description: "\(place): kind is \"public\" or \"confidential\"")
        }
        let secret = object["secret"]?.string.flatMap { ClientSecretHash($0) }
        guard (object["secret"] == nil) == (secret == nil) else {
            throw ParseError(description: "\(place): a secret is \"sha256:\" and 64 digits, or scrypt's PHC string")
        }
        guard (kind == .confidential) == (secret != nil) else {
            throw ParseError(description: "\(place): confidential clients have a secret, and public ones none")
        }
        return OAuthClient(id: id, kind: kind, secret: secret)
    }
}

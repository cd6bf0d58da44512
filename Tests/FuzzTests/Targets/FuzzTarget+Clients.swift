// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetWire

@testable import FreshetIdentity
@testable import FreshetJWT

extension FuzzTarget {
    // MARK: The Basic credentials of OAuth clients

    /// Reads the input as a field, as the text of its credentials, and as an id and a secret that a client writes.
    static func checkClientCredentials(_ input: [UInt8]) throws -> Bool {
        var isAccepted = false
        for field in [String(decoding: input, as: UTF8.self), "Basic \(Data(input).base64EncodedString())"] {
            let found = FreshetIdentity.ClientCredentials(basic: field)
            let reference = referenceCredentials(field)
            try require((found == nil) == (reference == nil), found == nil ? "refused" : "accepted")
            guard let found, let reference else { continue }
            isAccepted = true
            let basic = try require(AuthorizationField(field)?.basic, "a served contract refuses them")
            try require(!basic.user.utf8.contains(0x3A), "a user with a colon")
            let isWhole =
                reference.secrets.isEmpty
                ? basic.password.isEmpty : reference.secrets.last == Array(basic.password.utf8)
            try require(isWhole, "another password")
            try require(found.id.hasSameBytes(as: reference.id), "another id")
            try require(found.secrets.map { Array($0.utf8) } == reference.secrets, "other secrets")
        }
        guard let text = String(utf8: input), let end = text.utf8.firstIndex(of: 0x0A) else { return isAccepted }
        let (id, secret) = (String(text[..<end]), String(text[text.utf8.index(after: end)...]))
        // RFC 6749 section 2.3.1: both are form-encoded.
        let form = URLEncodedForm.encode([(name: id, value: secret)]).utf8.map { $0 == 0x3D ? 0x3A : $0 }
        try checkWritten("Basic \(Data(form).base64EncodedString())", id, secret, isFirst: true)
        // FreshetVerification omits that, as many libraries do; a registered id is the same in both.
        guard !id.utf8.contains(where: { "%+:".utf8.contains($0) }) else { return true }
        let credentials = FreshetJWT.ClientCredentials(id: id, secret: secret)
        try checkWritten(credentials.authorization, id, secret, isFirst: false)
        return true
    }

    private static func checkWritten(_ field: String, _ id: String, _ secret: String, isFirst: Bool) throws {
        let found = try require(FreshetIdentity.ClientCredentials(basic: field), "written credentials are refused")
        try require(found.id.hasSameBytes(as: id), "the id is read as another one")
        try require(found.secrets.count <= 2, "\(found.secrets.count) secrets")
        let candidates = isFirst ? Array(found.secrets.prefix(1)) : found.secrets
        let isFound = secret.isEmpty ? found.secrets.isEmpty : candidates.contains { $0.hasSameBytes(as: secret) }
        try require(isFound, "the secret is read as another one")
    }

    /// RFC 7617 section 2, on bytes: the first colon ends the id.
    private static func referenceCredentials(_ field: String) -> (id: String, secrets: [[UInt8]])? {
        let bytes = Array(field.utf8)
        let scheme = bytes.prefix { $0 != 0x20 }
        guard scheme.map({ (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }) == Array("basic".utf8),
            let data = Data(base64Encoded: String(decoding: bytes.dropFirst(6), as: UTF8.self)),
            String(utf8: data) != nil, let colon = data.firstIndex(of: UInt8(ascii: ":")),
            let id = unescaped(Array(data[..<colon]))
        else { return nil }
        let secret = Array(data[(colon + 1)...])
        guard !secret.isEmpty else { return (id, []) }
        let decoded = unescaped(secret).map { Array($0.utf8) }
        return (id, [decoded].compactMap(\.self).filter { $0 != secret } + [secret])
    }

    // MARK: The registry of OAuth clients

    /// Reads a registry, and again what is written of its clients.
    static func checkClientRegistry(_ input: [UInt8]) throws -> Bool {
        let registry: ClientRegistry
        do throws(ClientRegistry.ParseError) { registry = try ClientRegistry(json: Data(input)) } catch {
            try require(!error.description.isEmpty, "refused without a reason")
            guard let value = try? JSONParser.parseStrictly(input) else { return false }
            let compact = try? ClientRegistry(json: Data(value.jsonText.utf8))
            try require(compact == nil, "refused, but its compact form is not: \(error)")
            return false
        }
        let value = try require(noThrow: { try JSONParser.parseStrictly(input) })
        let items = try require(value.object?["clients"]?.array, "no clients")
        try require(items.count <= ClientRegistry.maximumClients, "\(items.count) clients")
        var written: [JSONValue] = []
        var ids: Set<[UInt8]> = []
        for item in items {
            let id = try require(item.object?["id"]?.string, "no id")
            let client = try require(registry[id], "\(id) is not found")
            try require(ids.insert(Array(id.utf8)).inserted, "\(id) stands twice")
            try checkClient(client, id, item)
            var object = JSONObject([.init("id", .string(client.id)), .init("kind", .string(client.kind.rawValue))])
            if let secret = client.secret { object["secret"] = .string(secret.text) }
            written.append(.object(object))
        }
        let document = JSONValue.object(JSONObject([.init("clients", .array(written))]))
        let again = try require(noThrow: { try ClientRegistry(json: Data(document.jsonText.utf8)) })
        for id in ids.map({ String(decoding: $0, as: UTF8.self) }) {
            try require(again[id] == registry[id], "\(id) is read as another client")
        }
        try require(again.hasConfidential == registry.hasConfidential, "another kind of registry")
        return true
    }

    private static func checkClient(_ client: OAuthClient, _ id: String, _ item: JSONValue) throws {
        try require(client.id.hasSameBytes(as: id), "\(id) is \(client.id)")
        let isPlain = id.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "-._~".utf8.contains(byte)
        }
        try require((1...100).contains(id.utf8.count) && isPlain, "the id \(id)")
        try require((client.kind == .confidential) == (client.secret != nil), "a secret of a public client, or none")
        let text = item.object?["secret"]?.string
        switch client.secret {
        case .sha256(let bytes): try require(bytes.count == 32, "\(bytes.count) bytes of hash")
        case .scrypt(let phc):
            try require(text?.hasSameBytes(as: phc) == true, "another hash")
            try require(isPHC(phc), "\(phc) is no hash of scrypt that a secret can be compared with")
        case nil: try require(item.object?["secret"] == nil, "a secret is ignored")
        }
    }

    /// Whether a text is a hash as `PasswordHasher` writes it.
    private static func isPHC(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false).map(Array.init)
        let costs = (4...20).map { Array("ln=\($0),r=8,p=1".utf8) }
        func isBase64(_ bytes: [UInt8], count: Int?) -> Bool {
            guard let decoded = Base64URL.decode(String(decoding: bytes, as: UTF8.self)) else { return false }
            return count.map { decoded.count == $0 } ?? true
        }
        return parts.count == 5 && parts[0].isEmpty && parts[1] == Array("scrypt".utf8) && costs.contains(parts[2])
            && isBase64(parts[3], count: nil) && isBase64(parts[4], count: 32)
    }
}

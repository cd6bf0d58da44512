// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetContract
import FreshetWire

/// External keys of an operator in one text.
///
/// A JWK set (RFC 7517), whose key ids are the names that key files have: `es256-2` for a P-256 key that signs access
/// tokens, `mac-1` and `code-1` for shared secrets (`oct`) of refresh tokens and mailed codes:
///
///     {"keys": [{"kty": "EC", "crv": "P-256", "kid": "es256-2", "x": "...", "y": "...", "d": "..."},
///               {"kty": "oct", "kid": "mac-1", "k": "..."}],
///      "in_use": {"es256": 2}}
///
/// Or P-256 private keys in PEM, each after a line with its name; a single key needs no name.
struct KeyDocument: Equatable, Sendable, Masked {
    /// An error in a text; contains no part of a key.
    struct Fault: Error, Equatable, CustomStringConvertible {
        var description: String
    }

    /// The maximum size of a text.
    static let maximumBytes = 64 * 1024

    /// The keys by number, in the format of key files: PEM, or bytes.
    private(set) var signing: [UInt8: String] = [:]
    private(set) var secrets: [String: [UInt8: [UInt8]]] = [:]
    /// The keys to use, if the text names them.
    private(set) var inUse: [KeyKind: UInt8] = [:]

    /// The kinds of shared secrets, by the prefix of their names.
    static let secretNames = ["mac", "code"]

    var mask: String { "KeyDocument(\(names.sorted().joined(separator: ", ")))" }

    /// The kinds of the document's keys.
    var kinds: Set<String> {
        Set(secrets.keys).union(signing.isEmpty ? [] : [KeyKind.signing.rawValue])
    }

    private var names: [String] {
        signing.keys.map { "\(KeyKind.signing.rawValue)-\($0)" }
            + secrets.flatMap { name, keys in keys.keys.map { "\(name)-\($0)" } }
    }

    init(_ text: String) throws(Fault) {
        guard text.utf8.count <= Self.maximumBytes else { throw Fault(description: "more than 64 KiB") }
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        if text.hasPrefix("{") { try readSet(text) } else { try readPEM(text) }
        guard !kinds.isEmpty else { throw Fault(description: "neither a JWK set with keys nor a P-256 key in PEM") }
    }

    /// Returns the numbers of a kind's keys.
    func ids(of kind: KeyKind) -> Set<UInt8> {
        switch kind {
        case .signing: Set(signing.keys)
        case .mac: Set((secrets[kind.rawValue] ?? [:]).keys)
        }
    }

    /// Checks that this document may replace `old` while a server runs.
    func check(follows old: KeyDocument) throws(Fault) {
        // A missing kind is probably an error, and would make all tokens of the kind unverifiable.
        guard kinds == old.kinds else { throw Fault(description: "not the same kinds of keys as before") }
        let isSame =
            old.signing.allSatisfy { signing[$0.key] == nil || signing[$0.key] == $0.value }
            && old.secrets.allSatisfy { name, keys in
                keys.allSatisfy { secrets[name]?[$0.key] == nil || secrets[name]?[$0.key] == $0.value }
            }
        guard isSame else { throw Fault(description: "a key changed under its name; a new key takes a new number") }
    }

    // MARK: - JWK sets

    private mutating func readSet(_ text: String) throws(Fault) {
        guard let set = (try? JSONParser.parseStrictly(text.utf8))?.object, let keys = set["keys"]?.array else {
            throw Fault(description: "not a JWK set")
        }
        for key in keys {
            guard let key = key.object, let name = key["kid"]?.string else {
                throw Fault(description: "a key without a kid")
            }
            let (kind, id) = try Self.parts(of: name)
            switch (kind, key["kty"]?.string) {
            case (KeyKind.signing.rawValue, "EC"):
                guard let secret = key["d"]?.string.flatMap({ Base64URL.decode($0) }),
                    let made = try? P256.Signing.PrivateKey(rawRepresentation: secret),
                    key["crv"]?.string == "P-256", JSONWebKey(made.publicKey).x == key["x"]?.string,
                    JSONWebKey(made.publicKey).y == key["y"]?.string
                else { throw Fault(description: "\(name): not a private key of P-256 with its public half") }
                try add(made, id, name)
            case (let kind, "oct") where Self.secretNames.contains(kind):
                guard let bytes = key["k"]?.string.flatMap({ Base64URL.decode($0) }), bytes.count >= 32 else {
                    throw Fault(description: "\(name): not 32 bytes or more in base64url")
                }
                guard secrets[kind, default: [:]].updateValue(bytes, forKey: id) == nil else {
                    throw Fault(description: "\(name) stands twice")
                }
            default: throw Fault(description: "\(name): its kty does not fit its name")
            }
        }
        for member in set["in_use"]?.object?.members ?? [] {
            guard let kind = KeyKind(rawValue: member.name), let number = member.value.double,
                let id = UInt8(exactly: number),
                ids(of: kind).contains(id)
            else { throw Fault(description: "in_use names a key that is not there") }
            inUse[kind] = id
        }
    }

    /// Returns the kind and the number in a name.
    private static func parts(of name: String) throws(Fault) -> (String, UInt8) {
        let parts = name.unicodeScalars.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, ([KeyKind.signing.rawValue] + secretNames).contains(String(parts[0])),
            let id = UInt8(parts[1]), id > 0
        else {
            throw Fault(description: "a key's name must be es256, mac or code with a number up to 255, such as mac-1")
        }
        return (String(parts[0]), id)
    }

    private mutating func add(_ key: P256.Signing.PrivateKey, _ id: UInt8, _ name: String) throws(Fault) {
        guard signing.updateValue(key.pemRepresentation, forKey: id) == nil else {
            throw Fault(description: "\(name) stands twice")
        }
    }

    // MARK: - PEM

    private mutating func readPEM(_ text: String) throws(Fault) {
        var name: String?
        var block: [Substring]?
        for line in text.split(whereSeparator: \.isNewline) {
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            if trimmed.hasPrefix("-----BEGIN ") { block = [] }
            if block == nil, trimmed.hasPrefix(KeyKind.signing.rawValue + "-") { name = trimmed }
            block?.append(Substring(trimmed))
            guard trimmed.hasPrefix("-----END "), let lines = block else { continue }
            block = nil
            // OpenSSL writes the curve's parameters in a block before the key.
            if trimmed.contains("PARAMETERS") { continue }
            guard name != nil || signing.isEmpty else {
                throw Fault(description: "a second key in PEM needs its name in a line before it, such as es256-2")
            }
            let called = name ?? "es256-1"
            let (_, id) = try Self.parts(of: called)
            guard let key = try? P256.Signing.PrivateKey(pemRepresentation: lines.joined(separator: "\n")) else {
                throw Fault(description: "\(called): not a private key of P-256 in PEM")
            }
            try add(key, id, called)
            name = nil
        }
        guard block == nil else { throw Fault(description: "a key in PEM has no end") }
    }
}

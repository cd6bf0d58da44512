// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Crypto
package import Foundation
import FreshetEngine
import FreshetSystem
import FreshetWire

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The keys of a server, in files that only its user can read: made at the first start, read at every other.
///
///     keys/mac-1.key       32 bytes, base64url: the MAC of refresh tokens
///     keys/code-1.key      32 bytes, base64url: the keyed hash of codes
///     keys/es256-1.pem     P-256 private key: signs access tokens
///     keys/chains.json     which of them is in use, and since when; written by the first change
///     keys/database        the identity of the database that they are used with
///
/// The number is the key id. Until something is changed the highest is the one in use, and the others still verify.
///
/// An operator may give keys of some kinds in another way (`ExternalKeyProvider`); then there are no files of those.
package struct KeyDirectory {
    package let url: URL
    /// What an operator gives.
    package let externalKeys: ExternalKeyProvider?
    /// The number of a kind's first key, if an older one is known that is not here any more; 1 otherwise.
    var firstNumbers: [String: UInt8] = [:]

    /// Opens `dataDirectory/keys`, and makes both folders if they are missing.
    package init(in dataDirectory: URL, externalKeys: ExternalKeyProvider? = nil) throws {
        self.externalKeys = externalKeys
        url = dataDirectory.appending(path: "keys")
        try PrivateFiles.prepare(dataDirectory)
        try PrivateFiles.prepare(url)
    }

    /// The ring of refresh-token keys.
    func tokenKeyRing(now: Timestamp, retired: Set<UInt8> = []) throws -> TokenKeyRing {
        let keys = try symmetricKeys(named: "mac").mapValues { SymmetricKey(data: $0) }
        let current = try chain(.mac, now: now).current
        guard let ring = TokenKeyRing(keys: keys, currentID: current, retired: retired) else {
            throw IdentityStartupError.unreadableKeyFile(url.path)
        }
        return ring
    }

    /// The key that hashes codes.
    package func codeKey() throws -> SymmetricKey {
        guard let newest = try codeKeys().max(by: { $0.key < $1.key }) else {
            throw IdentityStartupError.unreadableKeyFile(url.path)
        }
        return newest.value
    }

    /// All keys that hash codes, by their numbers.
    package func codeKeys() throws -> [UInt8: SymmetricKey] {
        try symmetricKeys(named: "code").mapValues { SymmetricKey(data: $0) }
    }

    /// The keys that sign access tokens, by their numbers.
    func signingKeysByID() throws -> [UInt8: P256.Signing.PrivateKey] {
        if let keys = externalKeys?.document.signing, !keys.isEmpty {
            return try keys.mapValues { try P256.Signing.PrivateKey(pemRepresentation: $0) }
        }
        var files = try numberedFiles("es256", suffix: ".pem")
        if files.isEmpty {
            try createKey(.signing, firstNumbers[KeyKind.signing.rawValue] ?? 1)
            files = try numberedFiles("es256", suffix: ".pem")
        }
        return try files.mapValues { file in
            let text = try read(file)
            do { return try P256.Signing.PrivateKey(pemRepresentation: text) } catch {
                throw IdentityStartupError.unreadableKeyFile(file.path)
            }
        }
    }

    /// The numbers of the keys of a kind.
    package func ids(of kind: KeyKind) throws -> Set<UInt8> {
        if let ids = externalKeys?.document.ids(of: kind), !ids.isEmpty { return ids }
        return try fileIDs(of: kind)
    }

    /// The numbers of the files of a kind.
    func fileIDs(of kind: KeyKind) throws -> Set<UInt8> {
        Set(try numberedFiles(kind.rawValue, suffix: kind.suffix).keys)
    }

    /// Makes a key that was not there.
    func createKey(_ kind: KeyKind, _ id: UInt8) throws {
        let name = "\(kind.rawValue)-\(id)\(kind.suffix)"
        switch kind {
        case .signing: try create(name, P256.Signing.PrivateKey().pemRepresentation)
        case .mac: try create(name, Self.newSymmetricKey())
        }
    }

    private static func newSymmetricKey() -> String {
        Base64URL.encode(SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }) + "\n"
    }

    private func symmetricKeys(named name: String) throws -> [UInt8: [UInt8]] {
        if let keys = externalKeys?.document.secrets[name] { return keys }
        if try numberedFiles(name, suffix: ".key").isEmpty {
            try create("\(name)-\(firstNumbers[name] ?? 1).key", Self.newSymmetricKey())
        }
        return try secretFiles(named: name)
    }

    /// The digests of the shared secrets of a kind; none is made.
    func secretFingerprints(of name: String) throws -> [UInt8: [UInt8]] {
        try (externalKeys?.document.secrets[name] ?? secretFiles(named: name)).mapValues {
            KeyFingerprint.of($0, kind: name)
        }
    }

    private func secretFiles(named name: String) throws -> [UInt8: [UInt8]] {
        try numberedFiles(name, suffix: ".key").mapValues { file in
            let text = try read(file).trimmingCharacters(in: .whitespacesAndNewlines)
            guard let bytes = Base64URL.decode(text), bytes.count >= 32 else {
                throw IdentityStartupError.unreadableKeyFile(file.path)
            }
            return bytes
        }
    }

    private func numberedFiles(_ name: String, suffix: String) throws -> [UInt8: URL] {
        let prefix = name + "-"
        var files: [UInt8: URL] = [:]
        for file in try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil) {
            let last = file.lastPathComponent
            guard last.hasPrefix(prefix), last.hasSuffix(suffix) else { continue }
            guard let id = UInt8(last.dropFirst(prefix.count).dropLast(suffix.count)) else {
                throw IdentityStartupError.unreadableKeyFile(file.path)
            }
            files[id] = file
        }
        return files
    }

    private func read(_ file: URL) throws -> String {
        guard try PrivateFiles.isPrivateFile(file) else { throw PrivateFiles.UnsafeKeyFile(path: file.path) }
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// Writes a key that did not exist.
    ///
    /// Two servers that start at once end up with the same one: the first wins.
    private func create(_ name: String, _ text: String) throws {
        let target = url.appending(path: name)
        let temporary = url.appending(path: ".\(name).\(getpid())")
        try PrivateFiles.write(Array(text.utf8), toNewFile: temporary)
        defer { unlink(temporary.path) }
        guard link(temporary.path, target.path) == 0 || errno == EEXIST else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: target.path])
        }
        try PrivateFiles.synchronize(url)
    }
}

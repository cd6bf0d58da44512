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

/// The keys of a server, in files that only its user can read; created at the first start.
///
///     keys/mac-1.key       32 bytes, base64url: the MAC of refresh tokens
///     keys/code-1.key      32 bytes, base64url: the keyed hash of codes
///     keys/es256-1.pem     P-256 private key: signs access tokens
///     keys/chains.json     which of them is in use, and since when; written by the first change
///     keys/database        the identity of the database that they are used with
///
/// The number is the key id. Without a schedule, the highest is the current key, and the others only verify.
///
/// Keys of some kinds may be external instead (`ExternalKeyProvider`); these have no files.
package struct KeyDirectory {
    let url: URL
    /// The paths of the directory and of the record of the keys' schedules, which each reload uses some dozen times.
    let path: String
    let chainsPath: String
    /// The external keys of the operator, if any.
    let externalKeys: ExternalKeyProvider?
    /// The number of a kind's first key: greater than 1 if a lost key had a lower one.
    var firstNumbers: [String: UInt8] = [:]
    /// Whether the directory does not exist, and is created once a server may start without keys in it.
    private(set) var isMissing: Bool
    let decodedChains = DecodedChains()
    private let decodedSigningKeys = DecodedSigningKeys()

    /// Opens `dataDirectory/keys`, and creates both directories if they are missing.
    ///
    /// - Parameters:
    ///   - dataDirectory: The parent directory.
    ///   - externalKeys: The external keys of the operator, if any.
    ///   - createsKeys: Whether a missing `keys` is created now, and not by ``createIfMissing()``.
    /// - Throws: `StartupError` if others can open a directory, or an error of the file system.
    package init(
        in dataDirectory: URL,
        externalKeys: ExternalKeyProvider? = nil,
        createsKeys: Bool = true
    ) throws {
        self.externalKeys = externalKeys
        url = dataDirectory.appending(path: "keys")
        path = url.path
        chainsPath = url.appending(path: "chains.json").path
        try PrivateFiles.prepare(dataDirectory)
        isMissing = !createsKeys && access(path, F_OK) != 0 && errno == ENOENT
        if !isMissing { try PrivateFiles.prepare(url) }
    }

    /// Creates the directory if it is missing.
    package mutating func createIfMissing() throws {
        guard isMissing else { return }
        try PrivateFiles.prepare(url)
        isMissing = false
    }

    /// Returns the key ring of refresh tokens.
    func tokenKeyRing(now: Timestamp, retired: Set<UInt8> = []) throws -> TokenKeyRing {
        let keys = try symmetricKeys(named: "mac").mapValues { SymmetricKey(data: $0) }
        let current = try chain(.mac, now: now).current
        guard let ring = TokenKeyRing(keys: keys, currentID: current, retired: retired) else {
            throw IdentityStartupError.unreadableKeyFile(url.path)
        }
        return ring
    }

    /// Returns the current key for hashing codes.
    package func codeKey() throws -> SymmetricKey {
        guard let newest = try codeKeys().max(by: { $0.key < $1.key }) else {
            throw IdentityStartupError.unreadableKeyFile(url.path)
        }
        return newest.value
    }

    /// Returns all keys for hashing codes, by number.
    package func codeKeys() throws -> [UInt8: SymmetricKey] {
        try symmetricKeys(named: "code").mapValues { SymmetricKey(data: $0) }
    }

    /// Returns the keys that sign access tokens, by number.
    func signingKeysByID() throws -> [UInt8: P256.Signing.PrivateKey] {
        if let keys = externalKeys?.document.signing, !keys.isEmpty {
            return try keys.mapValues { try P256.Signing.PrivateKey(pemRepresentation: $0) }
        }
        var files = try numberedFiles("es256", suffix: ".pem")
        if files.isEmpty {
            try createKey(.signing, firstNumbers[KeyKind.signing.rawValue] ?? 1)
            files = try numberedFiles("es256", suffix: ".pem")
        }
        return try decodedSigningKeys.decode(files.mapValues { ($0, try read($0)) })
    }

    /// Checks that the files are keys that this version can read, and creates none.
    package func checkFiles() throws {
        if isMissing { return }
        if try !fileIDs(of: .signing).isEmpty { _ = try signingKeysByID() }
        for name in ["mac", "code"] { _ = try secretFiles(named: name) }
        _ = try chains()
    }

    /// Returns the numbers of a kind's keys.
    func ids(of kind: KeyKind) throws -> Set<UInt8> {
        if let ids = externalKeys?.document.ids(of: kind), !ids.isEmpty { return ids }
        return try fileIDs(of: kind)
    }

    /// Returns the numbers of a kind's key files.
    func fileIDs(of kind: KeyKind) throws -> Set<UInt8> {
        Set(try numberedFiles(kind.rawValue, suffix: kind.suffix).keys)
    }

    /// Returns the time at which the file of a key was written; `nil` if there is no such file.
    func fileTime(of kind: KeyKind, _ id: UInt8) -> Timestamp? {
        let file = url.appending(path: Self.fileName(kind, id)).path
        let date = try? FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date
        return date.map { Timestamp(milliseconds: Int64($0.timeIntervalSince1970 * 1000)) }
    }

    private static func fileName(_ kind: KeyKind, _ id: UInt8) -> String { "\(kind.rawValue)-\(id)\(kind.suffix)" }

    /// Creates a key unless it exists.
    func createKey(_ kind: KeyKind, _ id: UInt8) throws {
        let name = Self.fileName(kind, id)
        switch kind {
        case .signing: try create(name, P256.Signing.PrivateKey().pemRepresentation + "\n")
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

    /// Returns the digests of a kind's shared secrets; creates none.
    func secretFingerprints(of name: String) throws -> [UInt8: [UInt8]] {
        try (externalKeys?.document.secrets[name] ?? secretFiles(named: name)).mapValues {
            KeyFingerprint.of($0, kind: name)
        }
    }

    private func secretFiles(named name: String) throws -> [UInt8: [UInt8]] {
        try numberedFiles(name, suffix: ".key").mapValues { file in
            let text = try read(file).trimmingCharacters(in: .whitespacesAndNewlines)
            guard let bytes = Base64URL.decode(text), bytes.count >= 32 else {
                throw IdentityStartupError.unreadableKeyFile(file)
            }
            return bytes
        }
    }

    /// Returns the paths of a kind's files, by number.
    private func numberedFiles(_ name: String, suffix: String) throws -> [UInt8: String] {
        if isMissing { return [:] }
        let prefix = name + "-"
        var files: [UInt8: String] = [:]
        for last in try PrivateFiles.names(in: path) where last.hasPrefix(prefix) && last.hasSuffix(suffix) {
            let file = "\(path)/\(last)"
            guard let id = UInt8(last.dropFirst(prefix.count).dropLast(suffix.count)) else {
                throw IdentityStartupError.unreadableKeyFile(file)
            }
            files[id] = file
        }
        return files
    }

    private func read(_ file: String) throws -> String {
        guard let bytes = try PrivateFiles.read(file) else { throw POSIXError(.ENOENT) }
        guard let text = String(utf8: bytes) else {
            throw IdentityStartupError.unreadableKeyFile(file)
        }
        return text
    }

    /// Writes a key that does not exist.
    ///
    /// If two servers start at the same time, both use the key of the first one that creates the file.
    private func create(_ name: String, _ text: String) throws {
        let target = url.appending(path: name)
        let temporary = url.appending(path: ".\(name).\(getpid())")
        // In a container, a process that was killed had the same ID.
        unlink(temporary.path)
        try PrivateFiles.write(Array(text.utf8), toNewFile: temporary)
        defer { unlink(temporary.path) }
        guard link(temporary.path, target.path) == 0 || errno == EEXIST else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: target.path])
        }
        try PrivateFiles.synchronize(url)
    }
}

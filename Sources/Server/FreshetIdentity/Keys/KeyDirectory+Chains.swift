// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
package import FreshetEngine
import FreshetSystem
import FreshetWire
import NIOConcurrencyHelpers

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension KeyDirectory {
    /// The record of the keys' schedules, `keys/chains.json`, written by the first change.
    private var file: URL { URL(filePath: chainsPath) }

    /// Returns the schedule of a kind, after applying planned changes that are due.
    func chain(_ kind: KeyKind, now: Timestamp) throws -> KeySchedule {
        let known = try chains()[kind]
        if let known, try isExternal(kind) {
            // The command-line tool has no external keys; the record is sufficient for it.
            return externalKeys == nil
                ? known.advanced(to: now) : known.advanced(to: now).limited(to: try ids(of: kind))
        }
        let ids = try ids(of: kind)
        let due = known?.advanced(to: now)
        let lost = due?.members.filter { !ids.contains($0.id) } ?? []
        // Without such a key, refresh tokens could not be verified, and their users would be signed out. Clients replace
        // the access tokens of a lost signing key by a refresh, and an announced key has made no token.
        let needed = kind == .mac ? lost.filter { $0.id == due?.current || $0.supersededAt != nil }.map(\.id) : []
        guard needed.isEmpty else { throw IdentityStartupError.missingKeys(url.path, needed) }
        if let chain = lost.reduce(due, { $0?.losing($1.id, now: now) }) { return chain }
        guard let chain = KeySchedule(ids: ids, now: now) else { throw IdentityStartupError.noKeys(url.path) }
        return chain
    }

    /// Whether the record names a key whose file is missing.
    private func lacksRecordedKey(_ kind: KeyKind) throws -> Bool {
        guard let members = try chains()[kind]?.members, try !isExternal(kind) else { return false }
        return try !Set(members.map(\.id)).isSubset(of: ids(of: kind))
    }

    /// Removes keys whose files are missing from the record, unless sessions may depend on them.
    ///
    /// - Returns: The kinds whose record has changed.
    package func forgetLostKeys(now: Timestamp) throws -> [KeyKind] {
        try KeyKind.allCases.filter { kind in
            guard try lacksRecordedKey(kind) else { return false }
            do { try change(kind, now: now) { _ in } } catch IdentityStartupError.noKeys {
                try record(kind, now: now) { $0 = nil }
            }
            return true
        }
    }

    /// Changes a schedule under an exclusive file lock.
    ///
    /// A new key's file is created before the schedule contains the key; a retired key's file is deleted after the
    /// schedule no longer contains it.
    func change<Value>(_ kind: KeyKind, now: Timestamp, _ body: (inout KeySchedule) throws -> Value) throws
        -> Value
    {
        if try isExternal(kind) { throw KeySchedule.Refusal.supplied }
        if isMissing { throw IdentityStartupError.noKeys(url.path) }
        let lock = try locked()
        defer { unlock(lock) }
        var all = try chains()
        let before = try chain(kind, now: now)
        var chain = before
        let value = try body(&chain)
        let (old, new) = (Set(before.members.map(\.id)), Set(chain.members.map(\.id)))
        // Without a record, a server that reads the folder between the two writes would use the newest key at once.
        if all[kind] == nil, new != old {
            all[kind] = before
            try write(all)
        }
        for id in new.subtracting(old) { try createKey(kind, id) }
        all[kind] = chain
        try write(all)
        for id in old.subtracting(new) {
            try FileManager.default.removeItem(at: url.appending(path: "\(kind.rawValue)-\(id)\(kind.suffix)"))
        }
        return value
    }

    /// Changes the recorded schedule of external keys under an exclusive file lock.
    func record(_ kind: KeyKind, now: Timestamp, _ body: (inout KeySchedule?) throws -> Void) throws {
        let lock = try locked()
        defer { unlock(lock) }
        var all = try chains()
        let before = all[kind]
        try body(&all[kind])
        if all[kind] != before { try write(all) }
    }

    /// Removes a lost key from the record.
    func forget(_ kind: KeyKind, _ id: UInt8, now: Timestamp) throws {
        guard try hasChain(kind) else { return }
        try record(kind, now: now) { $0 = $0?.losing(id, now: now) }
    }

    private func write(_ chains: [KeyKind: KeySchedule]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        try PrivateFiles.replace(file, with: Array(try encoder.encode(chains)) + Array("\n".utf8))
    }

    /// Whether a schedule has been recorded.
    func hasChain(_ kind: KeyKind) throws -> Bool { try chains()[kind] != nil }

    func chains() throws -> [KeyKind: KeySchedule] {
        guard let bytes = try PrivateFiles.read(chainsPath) else { return [:] }
        do { return try decodedChains.decode(bytes) } catch {
            throw IdentityStartupError.unreadableKeyFile(chainsPath)
        }
    }

    /// Takes an advisory file lock.
    ///
    /// The system releases it when the process exits or crashes.
    private func locked() throws -> Int32 {
        let descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else {
            throw POSIXError(.init(rawValue: errno) ?? .EIO)
        }
        return descriptor
    }

    /// Releases the lock, also of a child process that is just starting and has a copy of the descriptor.
    private func unlock(_ descriptor: Int32) {
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}

/// The last decoded record of schedules.
///
/// Each reload reads the file a dozen times, and it hardly ever changes.
final class DecodedChains: Sendable {
    private let last = NIOLockedValueBox<(bytes: [UInt8], chains: [KeyKind: KeySchedule])?>(nil)

    /// Decodes `bytes`, unless they are what was decoded last.
    func decode(_ bytes: [UInt8]) throws -> [KeyKind: KeySchedule] {
        try last.withLockedValue { last in
            if let last, last.bytes == bytes { return last.chains }
            let chains = try JSONDecoder().decode([KeyKind: KeySchedule].self, from: Data(bytes))
            last = (bytes, chains)
            return chains
        }
    }
}

/// The signing keys as they were decoded last.
///
/// Decoding one computes its public key, and each reload reads them all.
final class DecodedSigningKeys: Sendable {
    private let last = NIOLockedValueBox<[String: P256.Signing.PrivateKey]>([:])

    /// Decodes the texts of all keys, of which it then keeps no others.
    ///
    /// - Throws: `IdentityStartupError.unreadableKeyFile` with the path of the first file that is not a key.
    func decode(_ texts: [UInt8: (file: String, text: String)]) throws -> [UInt8: P256.Signing.PrivateKey] {
        let old = last.withLockedValue { $0 }
        var new: [String: P256.Signing.PrivateKey] = [:]
        let keys = try texts.mapValues { file, text in
            do {
                let key = try old[text] ?? P256.Signing.PrivateKey(pemRepresentation: text)
                new[text] = key
                return key
            } catch {
                throw IdentityStartupError.unreadableKeyFile(file)
            }
        }
        last.withLockedValue { [new] in $0 = new }
        return keys
    }
}
